"""What a command answered, here or on another machine."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.errors import TrainyardError


class CommandResult(NamedTuple):
    """What came of a command."""

    status: int
    output: bytes
    error: str

    @property
    def text(self) -> str:
        """Return the output as text."""
        return self.output.decode("utf-8", "replace")

    @property
    def said(self) -> str:
        """Return why it failed, on one line."""
        return " ".join((self.error or self.text).split())[-500:] or f"exit status {self.status}"


class UnreachableError(TrainyardError):
    """The machine does not answer; it may later."""
