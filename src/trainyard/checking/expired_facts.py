"""Says of a checked file that the verdict rests on facts that are older than they may be believed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from trainyard.catalog.ages import ages_of_read_files
from trainyard.checking import load_errors
from trainyard.checking.spec_file import FileFindings, worst_first
from trainyard.finding import Finding

_ID = "facts-expired"


def with_expired_facts(checked: FileFindings, today: date) -> FileFindings:
    """Return the findings of a file with one more where facts that were read to judge it are believed no more.

    The facts are those that the process has read: where several files are checked, also those of the files before.
    """
    if checked.parsed is None and checked.foreign is None:
        return checked
    return checked._replace(findings=worst_first((*checked.findings, *_expired(checked.file, today))))


def _expired(file: str, today: date) -> Iterator[Finding]:
    expired = [age for age in ages_of_read_files() if age.until < today]
    if expired:
        names = ", ".join(f"{age.file} of {age.looked}" for age in expired)
        message = f"this rests on facts that are older than they may be believed: {names}"
        yield load_errors()[_ID].finding(message, file=file)
