"""What stops a command: work that cannot be done, as opposed to a bug."""

from __future__ import annotations

from trainyard_node.exit_status import FAILED


class NodeError(Exception):
    """One sentence that says what is wrong and what to do, and the exit status that goes with it."""

    def __init__(self, message: str, status: int = FAILED) -> None:
        """Keep the sentence and the status."""
        super().__init__(message)
        self.status = status
