"""A finding: one thing that is wrong with an input, wherever it was noticed.

Rules, load errors, outside validators, preflights, benchmark verdicts and diagnoses all return this value,
so that every command prints it the same way and every program can read it.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning", "info"]

Path = tuple[str | int, ...]
"""Where a value stands in a document: keys and list positions, counted from 0."""

Confidence = Literal["certain", "likely", "possible"]
"""Whether what a check notices is wrong whenever it is there, nearly always, or often."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Fix(NamedTuple):
    """The one value that puts a problem right, and where it is to be written."""

    path: Path
    value: str | int | bool


class Finding(NamedTuple):
    """One problem, where it stands and what to do about it. Lines and columns count from 1; unknown is None."""

    id: str
    severity: Severity
    message: str
    remedy: str | None = None
    source: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None
    fix: Fix | None = None
    """What puts it right, where that is unambiguous."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it: without ``fix`` where there is none."""
        values = self._asdict()
        fix = values.pop("fix")
        return values if fix is None else {**values, "fix": {"path": path_text(fix.path), "value": fix.value}}


def path_text(path: Path) -> str:
    """Return a path the way people write it: ``queues[0].capacity.reservation``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
