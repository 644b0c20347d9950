"""Comments that suppress findings: ``# trainyard: ignore ssh-open-to-world: the VPN's range is not known yet``.

A comment counts for the findings of its own line or, where it has a line of its own, for those of the line below. An
error is never suppressed. What is wrong with such a comment is a finding itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import NamedTuple

import yaml

from trainyard.checking import load_errors
from trainyard.document.node import Place
from trainyard.document.problems import Problems, short
from trainyard.finding import Finding
from trainyard.finding_kinds import FindingKind, finding_of, kinds_beside
from trainyard.rules import all_document_rules, all_rules


class Suppression(NamedTuple):
    """One id in one comment."""

    id: str
    reason: str
    place: Place
    """Of the comment."""
    line: int
    """Of the findings that it counts for."""


class SuppressionResult(NamedTuple):
    """Findings that are told, and those that a comment suppresses."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def apply_suppressions(
    text: str, file: str, findings: Iterable[Finding], *, is_script: bool = False
) -> SuppressionResult:
    """Return the findings about a text, apart from those that its comments suppress.

    It can be read as YAML, or is a script, in which whatever stands behind a ``#`` at the beginning of a word is one.
    """
    findings = tuple(findings)
    suppressions = tuple(_suppressions(text, file, is_script=is_script))
    reasoned = {(suppression.id, suppression.line) for suppression in suppressions if suppression.reason}
    suppressed = tuple(
        finding for finding in findings if (finding.id, finding.line) in reasoned and finding.severity != "error"
    )
    shown = tuple(finding for finding in findings if finding not in suppressed)
    return SuppressionResult((*shown, *_misused(suppressions, findings, file)), suppressed)


def suppression_kinds() -> Mapping[str, FindingKind]:
    """Return the kinds of findings about such comments, by their ids."""
    return kinds_beside(FilePath(__file__))


def _suppressions(text: str, file: str, *, is_script: bool) -> Iterator[Suppression]:
    text = text.removeprefix("\ufeff")
    positions, lines = Problems(text, file), text.splitlines()
    scalars = [] if is_script else _scalars(text)
    for comment in re.finditer(r"(?<!\S)#[ \t]*trainyard:[ \t]*ignore\b[ \t]*([^:\r\n]*)(?::([^\r\n]*))?", text):
        if any(start < comment.start() < end for start, end in scalars):
            continue
        place = positions.place_at(comment.start())
        line = place.line
        while line <= len(lines) and lines[line - 1].lstrip().startswith("#"):
            line += 1
        for id_ in re.split(r"[\s,]+", comment[1].strip()):
            yield Suppression(id_, (comment[2] or "").strip(), place, line)


def _scalars(text: str) -> list[tuple[int, int]]:
    """Return where each scalar of a text in YAML begins and ends."""
    return [
        (event.start_mark.index, event.end_mark.index)
        for event in yaml.parse(text, Loader=yaml.CSafeLoader)
        if isinstance(event, yaml.ScalarEvent) and event.start_mark and event.end_mark
    ]


def _misused(suppressions: Iterable[Suppression], findings: Iterable[Finding], file: str) -> Iterator[Finding]:
    severities = {(finding.id, finding.line): finding.severity for finding in findings}
    for suppression in suppressions:
        if (problem := _problem(suppression, severities.get((suppression.id, suppression.line)))) is not None:
            line, column = suppression.place
            yield finding_of(suppression_kinds(), *problem, file=file)._replace(line=line, column=column)


def _problem(suppression: Suppression, severity: str | None) -> tuple[str, str] | None:
    """Return the id of what is wrong with a suppression, and the message."""
    known_ids = [*(rule.id for rule in (*all_rules(), *all_document_rules())), *load_errors()]
    if suppression.id not in known_ids:
        close = get_close_matches(suppression.id, known_ids, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        return "suppression-of-unknown-id", f"no check finds {short(suppression.id)}{meant}"
    if not suppression.reason:
        return "suppression-without-reason", f"{suppression.id} is to be ignored, and nothing says why"
    if severity is None:
        return "suppression-without-effect", f"line {suppression.line} has no finding {suppression.id} to ignore"
    if severity == "error":
        message = f"{suppression.id} on line {suppression.line} is an error, and only warnings and infos can be ignored"
        return "suppression-of-error", message
    return None
