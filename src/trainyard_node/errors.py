"""What stops a command: work that cannot be done, as opposed to a bug, and the exit status that says so."""

from __future__ import annotations

# What the statuses of steps and of `asset` mean. common.sh has the same, docs/bootstrap.md explains them.
DONE = 0
FAILED = 1
SETTING = 64
DAMAGED = 65
HARDWARE = 66
UNREACHABLE = 69
NO_SPACE = 73
LATER = 75


class NodeError(Exception):
    """One sentence that says what is wrong and what to do, and the exit status that goes with it."""

    def __init__(self, message: str, status: int = FAILED) -> None:
        """Keep the sentence and the status."""
        super().__init__(message)
        self.status = status
