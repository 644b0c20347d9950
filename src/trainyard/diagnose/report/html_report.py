"""A diagnosis as an HTML page that loads nothing: the same as the Markdown page, for who reads it in a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.report.sentences import (
    conflict_text,
    depth_sentence,
    different_lines,
    excerpt,
    nodes,
    not_asked,
    nothing_known,
    occurrence_text,
    read,
    version_text,
)  # fmt: skip
from trainyard.foreign_text import one_line
from trainyard.render.html_page import add_row, add_table, new_page, prose
from trainyard.render.markup import add, after, link, page

_Values = Mapping[str, Any]
_MOST_UNREAD = 50
_FOLLOWED = ("What", "Since", "Seen", "Cause")


def html_report(values: _Values) -> str:
    """Return the page of a diagnosis. Whatever comes from logs stands in code, and stays text."""
    causes = values["causes"]
    title = causes[0]["title"] if causes else "Nothing known is wrong in these logs"
    root, body = new_page(f"Diagnosis: {title}")
    header = add(body, "header", class_=_look(values))
    add(header, "p", "trainyard diagnose", class_="brand")
    add(header, "h1", title)
    _add_summary(header, values)
    main = add(body, "main")
    if causes:
        _add_root_cause(main, causes[0])
        _add_followed(main, causes[0])
    _add_others(main, causes[1:])
    if values["unrecognised"]:
        add(main, "h2", "Unusual lines")
        add(main, "p", "No signature knows these lines; they look like trouble, and are rare.")
        _add_lines(main, values["unrecognised"])
    _add_versions(main, values)
    _add_titles(main, "What failed, and worked later", values["repaired"])
    _add_titles(main, "What looks like trouble and is none", values["harmless"])
    _add_unread(main, values)
    _add_foot(add(body, "footer"), values)
    return page(root)


def _look(values: _Values) -> str:
    if not values["causes"]:
        return "warning" if values["unrecognised"] else "good"
    return "bad" if values["causes"][0]["severity"] == "error" else "warning"


def _add_summary(header: ET.Element, values: _Values) -> None:
    if not values["causes"]:
        sentence = nothing_known(values)
        about = add(header, "p", f"{sentence[0].upper()}{sentence[1:]} in ")
        add(about, "code", one_line(values["diagnosed"]))
        after(about[-1], ".")
        for words in not_asked(values):
            add(add(header, "p"), "code", words)
        return
    root = values["causes"][0]
    prose(add(header, "p"), root["explanation"])
    add(header, "p", f"This is {root['confidence']}: {occurrence_text(root)}.")
    for sentence in [*root["facts"], depth_sentence(root)]:
        if sentence:
            prose(add(header, "p"), sentence)


def _add_root_cause(main: ET.Element, root: _Values) -> None:
    add(main, "h2", "Root cause")
    _add_facts(main, root)
    add(main, "h2", "Evidence")
    _add_lines(main, root["evidence"])
    add(main, "h2", "What to do")
    prose(add(main, "p"), root["remedy"])
    link(add(main, "p", "Source: ", class_="quiet"), root["source"])


def _add_facts(parent: ET.Element, cause: _Values) -> None:
    about = add(parent, "p")
    add(about, "span", cause["severity"], class_=f"pill {cause['severity']}")
    add(about, "code", cause["cause"])
    after(about[-1], f", {cause['confidence']}: {occurrence_text(cause)}")
    if cause["nodes"]:
        add(add(parent, "p", "Nodes, with their lines: "), "code", nodes(cause))


def _add_lines(parent: ET.Element, lines: Sequence[dict[str, Any]]) -> None:
    for line in different_lines(lines):
        place = add(parent, "p", class_="quiet")
        add(place, "code", one_line(line["file"]))
        after(place[-1], f", line {line['line']}")
        add(parent, "pre", excerpt(line))


def _add_followed(main: ET.Element, root: _Values) -> None:
    if not root["consequences"]:
        return
    add(main, "h2", "What followed")
    body = add_table(main, _FOLLOWED)
    for at, effect in enumerate([root, *root["consequences"]]):
        title = effect["title"] if at else f"{effect['title']} (the root cause)"
        since = effect["first_seen"] or "time not known"
        add_row(body, _FOLLOWED, (title, since, count_text(effect["count"], "line"), effect["cause"]))
    for effect in root["consequences"]:
        _add_lines(main, effect["evidence"][:1])


def _add_others(main: ET.Element, causes: Sequence[_Values]) -> None:
    if causes:
        add(main, "h2", "What else is wrong")
    for cause in causes:
        add(main, "h3", cause["title"])
        prose(add(main, "p"), " ".join([cause["explanation"], *cause["facts"]]))
        _add_facts(main, cause)
        _add_lines(main, cause["evidence"][:2])
        prose(add(main, "p", "What to do: "), cause["remedy"])
        link(add(main, "p", "Source: ", class_="quiet"), cause["source"])


def _add_versions(main: ET.Element, values: _Values) -> None:
    if not values["versions"]:
        return
    add(main, "h2", "Versions that the logs state")
    listed = add(main, "ul")
    for stated in values["versions"]:
        entry = add(listed, "li", f"{version_text(stated)} (")
        add(entry, "code", stated["file"])
        after(entry[-1], f", line {stated['line']})")
    for conflict in values["version_conflicts"]:
        entry = add(listed, "li", f"{conflict['severity']}: {conflict_text(conflict)} (")
        add(entry, "code", conflict["file"])
        after(entry[-1], ")")


def _add_titles(main: ET.Element, heading: str, causes: Sequence[_Values]) -> None:
    if not causes:
        return
    add(main, "h2", heading)
    listed = add(main, "ul")
    for cause in causes:
        entry = add(listed, "li", f"{cause['title']} (")
        add(entry, "code", cause["cause"])
        after(entry[-1], f", {count_text(cause['count'], 'line')})")


def _add_unread(main: ET.Element, values: _Values) -> None:
    if not values["unread"]:
        return
    add(main, "h2", "What was not read")
    shown = values["unread"][:_MOST_UNREAD]
    listed = add(main, "ul")
    for unread in shown:
        entry = add(listed, "li")
        add(entry, "code", one_line(unread["name"]))
        after(entry[-1], f": {one_line(unread['why'])}")
    if values["unread_count"] > len(shown):
        add(listed, "li", f"and {values['unread_count'] - len(shown):,} more")


def _add_foot(foot: ET.Element, values: _Values) -> None:
    made = f"Made by trainyard {values['trainyard_version']} with `trainyard diagnose`, "
    prose(add(foot, "p"), f"{made}which knows {count_text(len(signatures()), 'signature')}.")
    of = add(foot, "p", "Of ")
    add(of, "code", one_line(values["diagnosed"]))
    after(of[-1], f": {read(values)}.")
    for sentence in not_asked(values) if values["causes"] else ():
        add(add(foot, "p"), "code", sentence)
    hidden = "Accounts, machines, addresses, people, buckets, keys and secrets have other names in it."
    add(foot, "p", hidden if values["redacted"] else "Nothing in it is redacted.")
