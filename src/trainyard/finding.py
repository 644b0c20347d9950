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
    """The one change that puts a problem right, and where: a value, the right name of a key, or a key less."""

    path: Path
    value: str | int | bool | None = None
    """What is to be written there; None where it is another change."""
    key: str | None = None
    """What the key at the path is to be called."""
    remove: bool = False
    """Whether the key at the path is to go, with its value."""

    def as_json(self) -> dict[str, Any]:
        """Return the path with ``value``, ``key`` or ``remove``."""
        change = {"value": self.value, "key": self.key, "remove": self.remove or None}
        return {"path": path_text(self.path), **{name: value for name, value in change.items() if value is not None}}


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
        return values if fix is None else {**values, "fix": fix.as_json()}


def path_text(path: Path) -> str:
    """Return a path the way people write it: ``queues[0].capacity.reservation``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
