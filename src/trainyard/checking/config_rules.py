"""Judges a configuration that a program of others reads by the rules about specs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from trainyard.document.node import Document
from trainyard.document.problems import MOST_FINDINGS
from trainyard.finding import Finding, Fix, Path
from trainyard.platform_parts import ConfigReading
from trainyard.platform_table import all_entries
from trainyard.rules import DocumentKind, Problem, all_rules


def config_findings(document: Document, kind: DocumentKind) -> Iterator[Finding]:
    """Yield what the rules about specs object to, where the file says it, in the words of the file."""
    readers = (entry.spec_of_config for entry in all_entries() if entry.made_by == kind)
    reader = next((reader for reader in readers if reader is not None), None)
    reading = None if reader is None else reader(document)
    if reading is None:
        return
    for rule in all_rules():
        on_config = reading.rules.get(rule.id)
        if on_config is None:
            continue
        for problem in islice(rule.problems(reading.spec), MOST_FINDINGS):
            place = _place(reading, problem.path)
            if place is not None:
                remedy, severity = on_config.remedy or problem.remedy, on_config.severity or problem.severity
                fix = _fix(reading, problem) if on_config.remedy is None else None
                yield rule.finding_at(Problem(place, problem.message, remedy, severity, fix), document)


def _fix(reading: ConfigReading, problem: Problem) -> Fix | None:
    """Return the fix at the key of the file; None where that is not written, or may mean its value otherwise."""
    place = reading.places.get(problem.fix.path) if problem.fix else None
    return None if problem.fix is None or place is None else problem.fix._replace(path=place)


def _place(reading: ConfigReading, path: Path) -> Path | None:
    """Return where a part of the spec stands in the file; None where the file does not say it."""
    above = [path[:length] for length in range(len(path), 0, -1)]
    if any(part in reading.unknown for part in above):
        return None
    return next((reading.places[part] for part in above if part in reading.places), None)
