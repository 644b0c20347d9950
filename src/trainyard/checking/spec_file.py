"""Checks one spec file: what cannot be read, what the rules object to, what outside validators object to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from trainyard.checking import load_errors
from trainyard.document.node import Document
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError, TrainyardError
from trainyard.finding import SEVERITIES, Finding
from trainyard.rules import DocumentKind, all_rules
from trainyard.spec.parsing import ParsedSpec, parse

MARK = "trainyard:"
"""What comments begin with that suppress findings."""

OutsideValidator = Callable[[ParsedSpec], Iterator[Finding]]
"""Judges a whole spec by a program that is not ours."""
OutsideReader = Callable[[DocumentKind, Document, str], Iterator[Finding]]
"""Judges a file of another tool, given its text too, by the program that reads it; says nothing of other kinds."""


class FileFindings(NamedTuple):
    """What was found in a file. ``parsed`` is None where the file could not be read as a spec."""

    file: str
    parsed: ParsedSpec | None
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    """What comments in the file suppress, each with a reason."""
    foreign: str | None = None
    """Whose file it is, where it is no spec and was judged as what it is."""
    not_judged: str | None = None
    """Why nothing is said about it, where it is neither a spec nor a file that there are rules for."""
    known: tuple[Finding, ...] = ()
    """What a baseline lists."""

    @property
    def kind(self) -> str | None:
        """Return whose file it is: ``spec``, a kind of another tool's, or None where that is not known."""
        return "spec" if self.parsed is not None else self.foreign

    @property
    def has_errors(self) -> bool:
        """Return whether any finding is of severity error."""
        return any(finding.severity == "error" for finding in self.findings)


def check_file(file: str, outside: tuple[OutsideValidator, ...] = ()) -> FileFindings:
    """Return everything that is wrong with a spec file, worst first. Load errors are findings too."""
    try:
        text = read_text(file)
    except FindingsError as error:
        return unread(file, error)
    return check_text(text, file, outside)


def unread(file: str, error: FindingsError) -> FileFindings:
    """Return why a file could not be read as a spec."""
    return FileFindings(file, None, tuple(with_source(finding) for finding in error.findings))


def check_text(text: str, file: str, outside: tuple[OutsideValidator, ...] = ()) -> FileFindings:
    """Return everything that is wrong with the text of a spec, worst first."""
    try:
        parsed = parse(text, file)
    except FindingsError as error:
        return unread(file, error)
    rule_results = list(rule_findings(parsed))
    if not any(finding.severity == "error" for finding in rule_results):
        # What the rules refuse is not rendered, so there would be nothing to judge.
        for validator in outside:
            rule_results.extend(outside_findings(file, partial(validator, parsed)))
    return FileFindings(file, parsed, *split_suppressed(text, file, rule_results))


def outside_findings(file: str, answer: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a program that is not ours says, or why it could say nothing: other files are still to be checked."""
    try:
        yield from answer()
    except TrainyardError as error:
        where = f" ({error.where})" if error.where else ""
        finding = Finding("validator-not-run", "error", f"{error.problem}{where}", error.hint, file=file)
        yield with_source(finding)


def with_source(finding: Finding) -> Finding:
    """Return a load finding with the source that its explanation names."""
    return finding._replace(source=load_errors()[finding.id].source)


def rule_findings(parsed: ParsedSpec) -> Iterator[Finding]:
    """Yield what the rules object to, with the place of each."""
    for rule in all_rules():
        for problem in rule.problems(parsed.spec):
            yield rule.finding_at(problem, parsed.document)


def split_suppressed(
    text: str, file: str, findings: Iterable[Finding], *, is_script: bool = False
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings that are told, the worst first, and those that comments in the text suppress."""
    if MARK not in text:
        return worst_first(findings), ()
    # Imported here because hardly a file has such a comment, and every check imports this module.
    from trainyard.checking.suppression import apply_suppressions

    shown, suppressed = apply_suppressions(text, file, findings, is_script=is_script)
    return worst_first(shown), suppressed


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings as they are printed."""
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[int, int, int]:
    return SEVERITIES.index(finding.severity), finding.line or 0, finding.column or 0
