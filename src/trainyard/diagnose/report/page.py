"""A diagnosis as a Markdown page that can be handed to whoever supports the cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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

_Values = dict[str, Any]
_MOST_UNREAD = 50
_RUNS = re.compile(r"`+")


def report_page(values: Mapping[str, Any]) -> str:
    """Return the page. Whatever comes from logs stands in code, which it cannot break out of."""
    return "\n".join([*_page(values), ""])


def _page(values: Mapping[str, Any]) -> Iterator[str]:
    causes = values["causes"]
    yield f"# {causes[0]['title'] if causes else 'Nothing known is wrong in these logs'}"
    yield ""
    yield from _summary(values)
    yield ""
    if causes:
        yield from _root_cause(causes[0])
        yield from _time_line(causes[0])
    yield from _other_causes(causes[1:])
    yield from _unusual(values["unrecognised"])
    yield from _versions(values)
    yield from _titles("What failed, and worked later", values["repaired"])
    yield from _titles("What looks like trouble and is none", values["harmless"])
    yield from _unread(values["unread"], values["unread_count"])
    yield from _about(values)


def _summary(values: Mapping[str, Any]) -> Iterator[str]:
    if not values["causes"]:
        sentence = nothing_known(values)
        yield f"{sentence[0].upper()}{sentence[1:]} in {code(values['diagnosed'])}."
        yield from (f"{code(sentence)}." for sentence in not_asked(values))
        return
    root = values["causes"][0]
    yield f"{root['explanation']}"
    yield f"This is {root['confidence']}: {occurrence_text(root)}."
    if followed := root["consequences"]:
        titles = ", ".join(
            f"{consequence['title']} ({count_text(consequence['count'], 'line')})" for consequence in followed
        )
        yield f"What followed from it: {titles}."
    yield from root["facts"]
    if sentence := depth_sentence(root):
        yield sentence


def _root_cause(root: _Values) -> Iterator[str]:
    yield "## Root cause"
    yield ""
    yield from _facts(root)
    yield "## Evidence"
    yield ""
    yield from _evidence(root["evidence"])
    yield "## What to do"
    yield ""
    yield root["remedy"]
    yield ""
    yield f"Source: <{root['source']}>"
    yield ""


def _facts(cause: _Values) -> Iterator[str]:
    yield f"- cause: `{cause['cause']}` ({cause['severity']}, {cause['confidence']})"
    yield f"- seen: {occurrence_text(cause)}"
    if cause["nodes"]:
        yield f"- nodes, with their lines: {code(nodes(cause))}"
    yield ""


def _evidence(lines: Sequence[_Values]) -> Iterator[str]:
    for line in different_lines(lines):
        yield f"{code(line['file'])}, line {line['line']}:"
        yield ""
        yield from code_block([excerpt(line)])
        yield ""


def _time_line(root: _Values) -> Iterator[str]:
    if not root["consequences"]:
        return
    yield "## What followed"
    yield ""
    yield f"- {root['first_seen'] or 'time not known'}: {root['title']} (the root cause)"
    for effect in root["consequences"]:
        when = effect["first_seen"] or "time not known"
        yield f"- {when}: {effect['title']} (`{effect['cause']}`, {occurrence_text(effect)})"
    yield ""
    for consequence in root["consequences"]:
        yield from _evidence(consequence["evidence"][:1])


def _other_causes(causes: Sequence[_Values]) -> Iterator[str]:
    if not causes:
        return
    yield "## What else is wrong"
    yield ""
    for cause in causes:
        yield f"### {cause['title']}"
        yield ""
        yield " ".join([cause["explanation"], *cause["facts"]])
        yield ""
        yield from _facts(cause)
        yield from _evidence(cause["evidence"][:2])
        yield f"What to do: {cause['remedy']}"
        yield ""
        yield f"Source: <{cause['source']}>"
        yield ""


def _unusual(lines: Sequence[_Values]) -> Iterator[str]:
    if not lines:
        return
    yield "## Unusual lines"
    yield ""
    yield "No signature knows these lines; they look like trouble, and are rare."
    yield ""
    yield from _evidence(lines)


def _versions(values: Mapping[str, Any]) -> Iterator[str]:
    if not values["versions"]:
        return
    yield "## Versions that the logs state"
    yield ""
    yield from (
        f"- {version_text(stated)} ({code(stated['file'])}, line {stated['line']})" for stated in values["versions"]
    )
    for conflict in values["version_conflicts"]:
        place = f"({code(conflict['file'])}, source: <{conflict['source']}>)"
        yield f"- {conflict['severity']}: {conflict_text(conflict)} {place}"
    yield ""


def _titles(heading: str, causes: Sequence[_Values]) -> Iterator[str]:
    if not causes:
        return
    yield f"## {heading}"
    yield ""
    yield from (f"- {cause['title']} (`{cause['cause']}`, {count_text(cause['count'], 'line')})" for cause in causes)
    yield ""


def _unread(unread: Sequence[_Values], count: int) -> Iterator[str]:
    if not unread:
        return
    yield "## What was not read"
    yield ""
    shown = unread[:_MOST_UNREAD]
    yield from (f"- {code(unread_file['name'])}: {code(unread_file['why'])}" for unread_file in shown)
    if count > len(shown):
        yield f"- and {count - len(shown):,} more"
    yield ""


def _about(values: Mapping[str, Any]) -> Iterator[str]:
    yield "## About this page"
    yield ""
    yield f"- made by `trainyard diagnose` {values['trainyard_version']}, which knows {len(signatures()):,} signatures"
    yield f"- of {code(values['diagnosed'])}: {read(values)}"
    yield from (f"- {code(sentence)}" for sentence in not_asked(values))
    if values["redacted"]:
        yield "- accounts, machines, addresses, people, buckets, keys and secrets have other names in it"
    else:
        yield "- nothing in it is redacted"


def code(text: str) -> str:
    """Return text as a span of code: https://spec.commonmark.org/0.31.2/#code-spans."""
    shown = one_line(text) or " "
    if (runs := _longest_run(shown)) == 0:
        return f"`{shown}`"
    ticks = "`" * (runs + 1)
    return f"{ticks} {shown} {ticks}"


def code_block(texts: list[str]) -> list[str]:
    """Return lines of text as a block of code: https://spec.commonmark.org/0.31.2/#fenced-code-blocks."""
    shown = [one_line(text) for text in texts]
    fence = "`" * max(3, max(map(_longest_run, shown), default=0) + 1)
    return [f"{fence}text", *shown, fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)
