"""Errors that stop a command. Anything else that is raised is a bug and keeps its traceback."""

from __future__ import annotations

from typing import ClassVar

from trainyard.finding import Finding


class TrainyardError(Exception):
    """The work could not be done: what is wrong, where, and what to do next."""

    exit_status: ClassVar[int] = 1

    def __init__(self, problem: str, *, where: str | None = None, hint: str | None = None) -> None:
        """Keep the three parts apart, so that programs can read them."""
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.hint = hint


class InputError(TrainyardError):
    """The command line is wrong or an input could not be read."""

    exit_status = 2


class FindingsError(InputError):
    """An input has problems that leave nothing to work with. Carries every one that was found, not only the first."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        """Summarise the findings, of which there is at least one."""
        first, *rest = findings
        problem = first.message if not rest else f"{first.message} (and {len(rest)} more)"
        super().__init__(problem, where=_where(first), hint=first.remedy)
        self.findings = findings


class DocumentError(FindingsError):
    """A file is not a readable YAML document."""


class SpecError(FindingsError):
    """A document is not a spec."""


def _where(finding: Finding) -> str | None:
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    if finding.path is None:
        return place or None
    return f"{place} ({finding.path})" if place else finding.path
