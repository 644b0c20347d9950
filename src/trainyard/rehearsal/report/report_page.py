"""The report of a rehearsal: one HTML page that asks nothing of anybody and can be read without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.rehearsal.report.numbers import seconds
from trainyard.rehearsal.report.outcome import call_count, headline, inventory, reason, resource_count
from trainyard.rehearsal.report.stack_tables import add_calls, add_stacks
from trainyard.rehearsal.report.timeline import add_timeline
from trainyard.render.diagram.architecture import style
from trainyard.render.html_page import new_page, prose
from trainyard.render.markup import add, link, markup_text, page

_SECTIONS = {
    "architecture": "Architecture",
    "timeline": "Timeline",
    "resources": "Stacks and resources",
    "findings": "Findings",
    "proved": "What this proved",
    "open": "What only AWS can tell",
}
_LOOK = {"error": "bad", "warning": "kept", "info": "other"}
_SVG = "{http://www.w3.org/2000/svg}"
_TAGS = frozenset({"svg", "title", "desc", "rect", "path", "g", "text"})
_ATTRIBUTES = frozenset(
    {"class", "id", "role", "viewBox", "x", "y", "width", "height", "rx", "d", "transform", "font-size", "font-weight"}
    | {"text-anchor", "aria-label", "aria-labelledby"}
)


def report_page(result: Mapping[str, Any]) -> str:
    """Return the page of a result, which has the shape of ``rehearsal.json``."""
    script = _file("report_page.js")
    title = f"Rehearsal of {result['name']}: {'succeeded' if result['ok'] else 'failed'}"
    root, body = new_page(title, (_file("report_page.css"), style()), script)
    _add_verdict(add(body, "header"), result)
    sections = dict(_sections(add(body, "main")))
    add_drawing(sections["architecture"], str(result.get("diagram") or ""))
    _add_legend(sections["timeline"])
    add_timeline(sections["timeline"], result)
    add_stacks(sections["resources"], result)
    add_calls(sections["resources"], result)
    _add_left(sections["resources"], result)
    add_findings(sections["findings"], result)
    _add_points(sections["proved"], result.get("proved") or (), "This rehearsal did not come far enough for any claim.")
    _add_points(sections["open"], result.get("only_aws_can_tell") or (), "")
    _add_foot(add(body, "footer"), result)
    add(body, "script").text = script
    return page(root)


def _add_verdict(header: ET.Element, result: Mapping[str, Any]) -> None:
    header.set("class", "good" if result["ok"] else "bad")
    add(header, "p", "trainyard rehearse", class_="brand")
    add(header, "h1", headline(result))
    prose(add(header, "p", class_="reason"), reason(result))
    add(header, "p", "Nothing of this ran on AWS. The account was emulated on one machine.", class_="honest")
    facts = add(header, "dl")
    for name, value in _facts(result).items():
        fact = add(facts, "div")
        add(fact, "dt", name)
        add(fact, "dd", value)
    links = add(header, "nav")
    for anchor, title in _SECTIONS.items():
        add(links, "a", title, href=f"#{anchor}")


def _platform(result: Mapping[str, Any]) -> dict[str, str]:
    version = result["parallelcluster_version"]
    return {"Platform": str(result["platform"])} if version is None else {"ParallelCluster": version}


def _facts(result: Mapping[str, Any]) -> dict[str, str]:
    steps = result.get("steps") or ()
    done = sum(step["status"] == "done" for step in steps)
    return {
        "Region": result["region"],
        **_platform(result),
        "trainyard": result["trainyard_version"],
        "Started": str(result["started"]).replace("T", " ").replace("+00:00", " UTC"),
        "Took": seconds(result["seconds"]),
        "Steps": f"{done:,} of {len(steps):,} did something",
        "Stacks": f"{len(result.get('stacks') or ()):,} with {count_text(resource_count(result), 'resource')}",
        "Calls": f"{call_count(result):,}",
        "Findings": f"{len(result.get('findings') or ()):,}",
    }


def _sections(main: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    for anchor, title in _SECTIONS.items():
        section = add(main, "section", id=anchor)
        add(section, "h2", title)
        yield anchor, section


def _add_legend(section: ET.Element) -> None:
    legend = add(section, "p", class_="legend")
    looks = {"apply": "made", "undo": "removed", "skipped": "nothing to do", "failed": "failed", "resource": "resource"}
    for look, meaning in looks.items():
        add(legend, "span", meaning, class_=f"key {look}")


def _add_left(section: ET.Element, result: Mapping[str, Any]) -> None:
    add(section, "h3", "What is left in the account")
    add(section, "p", inventory(result))
    left = (result.get("inventory") or {}).get("left") or ()
    if left:
        listed = add(section, "ul")
        for thing in left:
            add(add(listed, "li"), "code", thing)


def _add_points(section: ET.Element, points: Sequence[object], otherwise: str) -> None:
    if not points:
        add(section, "p", otherwise, class_="quiet")
        return
    listed = add(section, "ul", class_="points")
    for point in points:
        words, opened, source = markup_text(point).rpartition(" (https://")
        sourced = bool(opened) and source.endswith(")")
        entry = prose(add(listed, "li"), f"{words} " if sourced else point)
        if sourced:
            link(entry, f"https://{source[:-1]}", "source")


def _add_foot(foot: ET.Element, result: Mapping[str, Any]) -> None:
    text = (
        f"Made by trainyard {result['trainyard_version']}. The same as data stands in rehearsal.json beside this page."
    )
    add(foot, "p", text)


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def add_findings(parent: ET.Element, result: Mapping[str, Any]) -> None:
    """Add the findings of a result."""
    findings = result.get("findings") or ()
    if not findings:
        add(parent, "p", "Nothing was found.", class_="quiet")
        return
    listed = add(parent, "ul", class_="findings")
    for finding in findings:
        _add_finding(listed, finding)


def _add_finding(listed: ET.Element, finding: Mapping[str, Any]) -> None:
    entry = add(listed, "li")
    heading = add(entry, "p")
    add(heading, "span", finding["severity"], class_=f"pill {_LOOK.get(finding['severity'], 'other')}")
    add(heading, "code", finding["id"])
    if where := _where(finding):
        add(heading, "span", where, class_="quiet")
    prose(add(entry, "p"), finding["message"])
    if finding.get("remedy"):
        remedy = add(entry, "p")
        add(remedy, "strong", "Remedy: ")
        prose(remedy, finding["remedy"])
    if finding.get("source"):
        source = add(entry, "p", class_="quiet")
        add(source, "span", "Source: ")
        link(source, str(finding["source"]))


def _where(finding: Mapping[str, Any]) -> str:
    place = ":".join(str(finding[key]) for key in ("file", "line") if finding.get(key))
    return " ".join(part for part in (place, finding.get("path")) if part)


def add_drawing(parent: ET.Element, svg: str) -> None:
    """Add the drawing, or say that there is none. Its style is that of the page, not what it brings along."""
    root = _parsed(svg)
    if root is None:
        add(parent, "p", "The drawing of this rehearsal cannot be read.", class_="quiet")
        return
    frame = add(parent, "div", class_="drawing")
    frame.extend(_copies((root,)))


def _parsed(svg: str) -> ET.Element | None:
    # A drawing of ours declares nothing. Without declarations, there are no entities to expand.
    if "<!" in svg:
        return None
    try:
        root = ET.fromstring(svg)  # noqa: S314  see above
    except ET.ParseError:
        return None
    return root if root.tag == f"{_SVG}svg" else None


def _copies(elements: Iterator[ET.Element] | tuple[ET.Element, ...]) -> Iterator[ET.Element]:
    for element in elements:
        tag = element.tag.removeprefix(_SVG)
        if tag not in _TAGS:
            continue
        copy = ET.Element(tag, {name: markup_text(value) for name, value in element.items() if name in _ATTRIBUTES})
        copy.text = markup_text(element.text or "")
        copy.extend(_copies(iter(element)))
        yield copy
