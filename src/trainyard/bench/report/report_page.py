"""The report of bandwidth tests: one HTML page without a script that asks nothing of anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.bench.report.plots import Plots, bandwidth_plot, plots, scaling_plot, time_plot
from trainyard.bench.report.sentences import origin
from trainyard.bench.report.tables import add_evidence, add_names, add_runs, add_scaling
from trainyard.render.html_page import new_page, prose
from trainyard.render.markup import add, link, page
from trainyard.render.plot import NARROW, STYLE

_SECTIONS = {
    "findings": "What was found",
    "bandwidth": "Bandwidth and latency",
    "scaling": "Scaling",
    "nodes": "Nodes",
    "runs": "All runs",
    "software": "Versions and settings",
    "method": "How it was judged",
}
_SOFTWARE = {
    "versions": "Versions",
    "network": "Network",
    "environment": "Variables that were set",
    "algorithms": "Algorithms and protocols, how often the log names them",
}
_MOST_MESSAGES = 5
_METHOD = (
    "Bus bandwidth is what nccl-tests prints: bytes by time, times a factor that makes it comparable with hardware.",
    "The ceiling is what the hardware allows: network cards of a node, or NVLink where that is tighter.",
    "In the band lies a healthy cluster. Its confidence says how near the published runs are that it rests on.",
    "A forecast takes the share of the ceiling that was reached to more nodes. It is no measurement.",
    "A node is slow where all its runs are and its partners are fast without it, or where its processes stand out.",
)


def report_page(values: Mapping[str, Any]) -> str:
    """Return the page of a report's values."""
    drawn = plots(values)
    styles = [file.read_text(encoding="utf-8") for file in (Path(__file__).with_name("report.css"), STYLE)]
    root, body = new_page(f"Bandwidth tests: {values['headline']}", styles)
    shown = {name: title for name, title in _SECTIONS.items() if name not in _empty(values, drawn)}
    _add_header(add(body, "header"), values, shown)
    main = add(body, "main")
    sections = {name: add(main, "section", id=name) for name in shown}
    for name, title in shown.items():
        add(sections[name], "h2", title)
        _FILL[name](sections[name], values, drawn)
    made = f"Made by trainyard {values['trainyard_version']} with `trainyard bench report`."
    prose(add(add(body, "footer"), "p"), made)
    return page(root)


def _empty(values: Mapping[str, Any], drawn: Plots) -> set[str]:
    """Return the sections that nothing is known for."""
    names = {"bandwidth": drawn.sizes, "scaling": drawn.scaling, "nodes": drawn.nodes, "software": _software_of(values)}
    return {name for name, known in names.items() if not known} - ({"nodes"} if values["nodes"]["slow"] else set())


def _add_header(header: ET.Element, values: Mapping[str, Any], shown: Mapping[str, str]) -> None:
    header.set("class", values["verdict"])
    add(header, "p", "trainyard bench report", class_="brand")
    add(header, "h1", values["headline"])
    add(header, "p", origin(values), class_="quiet")
    for sentence in values["summary"]:
        prose(add(header, "p"), sentence)
    links = add(header, "nav")
    for anchor, title in shown.items():
        add(links, "a", title, href=f"#{anchor}")


def _findings(section: ET.Element, values: Mapping[str, Any], _drawn: Plots) -> None:
    if not values["findings"]:
        add(section, "p", "Nothing is wrong.", class_="quiet")
    listed = add(section, "ul", class_="findings") if values["findings"] else section
    for finding in values["findings"]:
        _add_finding(listed, finding, len(values["runs"]))
    add_evidence(section, values["evidence"])


def _add_finding(listed: ET.Element, finding: Mapping[str, Any], runs: int) -> None:
    entry = add(listed, "li", class_=finding["severity"])
    heading = add(entry, "p")
    add(heading, "span", finding["severity"], class_=f"pill {finding['severity']}")
    add(heading, "strong", finding["title"])
    add(heading, "code", finding["id"])
    for message_entry in finding["messages"][:_MOST_MESSAGES]:
        message = prose(add(entry, "p"), message_entry["message"])
        if runs > 1:
            add(message, "span", f" ({_numbers(message_entry['runs'])})", class_="quiet")
    if len(finding["messages"]) > _MOST_MESSAGES:
        add(entry, "p", f"and {len(finding['messages']) - _MOST_MESSAGES:,} more", class_="quiet")
    remedy = add(entry, "p")
    add(remedy, "strong", "What to do: ")
    prose(remedy, finding["remedy"])
    link(add(entry, "p", class_="quiet"), finding["source"])


def _numbers(runs: Sequence[int]) -> str:
    shown = ", ".join(map(str, runs[:12]))
    more = f" and {len(runs) - 12} more" if len(runs) > 12 else ""
    return f"run {shown}{more}"


def _bandwidth(section: ET.Element, values: Mapping[str, Any], drawn: Plots) -> None:
    names = {run["number"]: run["name"] for run in values["runs"]}
    for chart, (bandwidth, time) in zip(values["charts"], drawn.sizes, strict=True):
        add(section, "div", class_="frame").extend((bandwidth, bandwidth_plot(chart, names, NARROW)))
        add(section, "div", class_="frame").extend((time, time_plot(chart, names, NARROW)))
        if chart["ceiling"] is not None:
            expected = f" Expected: {chart['basis']}." if chart["basis"] is not None else ""
            add(section, "p", f"Ceiling: {chart['ceiling']}.{expected}", class_="quiet")
        for source in dict.fromkeys([*chart["sources"], *(reference["source"] for reference in chart["references"])]):
            link(add(section, "p", class_="quiet source"), source)


def _scaling(section: ET.Element, values: Mapping[str, Any], drawn: Plots) -> None:
    for series, picture in zip(values["scaling"], drawn.scaling, strict=True):
        add(section, "div", class_="frame").extend((picture, scaling_plot(series, NARROW)))
        add_scaling(section, series)


def _nodes(section: ET.Element, values: Mapping[str, Any], drawn: Plots) -> None:
    for node in values["nodes"]["slow"]:
        add(section, "p", f"{node['host']}: {node['why']}.", class_="slow")
    for picture in drawn.nodes:
        add(section, "div", class_="frame").append(picture)


def _runs(section: ET.Element, values: Mapping[str, Any], _drawn: Plots) -> None:
    add_runs(section, values["runs"])


def _software_of(values: Mapping[str, Any]) -> list[Any]:
    return [name for key in _SOFTWARE for name in values[key]]


def _software(section: ET.Element, values: Mapping[str, Any], _drawn: Plots) -> None:
    for key, title in _SOFTWARE.items():
        add_names(section, title, values[key], len(values["runs"]))


def _method(section: ET.Element, _values: Mapping[str, Any], _drawn: Plots) -> None:
    listed = add(section, "ul")
    for sentence in _METHOD:
        add(listed, "li", sentence)


_FILL = {
    "findings": _findings,
    "bandwidth": _bandwidth,
    "scaling": _scaling,
    "nodes": _nodes,
    "runs": _runs,
    "software": _software,
    "method": _method,
}
