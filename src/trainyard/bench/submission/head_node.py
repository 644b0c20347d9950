"""Where Slurm's commands are run, whatever lies between here and there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trainyard.edge.remote.answer import Answer


class HeadNode(Protocol):
    """A machine with sbatch: edge/slurm_local.py, edge/ssh.py, edge/aws/ssm_commands.py."""

    @property
    def words(self) -> str:
        """Return which machine it is, for people."""

    @property
    def block_bytes(self) -> int:
        """Return how many bytes a command can take or give."""

    @property
    def is_here(self) -> bool:
        """Return whether it is this machine, which may be asked often."""

    def run(self, arguments: Sequence[str], content: bytes = b"") -> Answer:
        """Run a command with a standard input, and return what came of it."""
