"""Commands of a Slurm that is on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from trainyard.edge.foreground import NotStartedError
from trainyard.edge.remote_command import CommandResult, UnreachableError
from trainyard.edge.watched_program import run_watched

_WITHIN_S = 120
_NOT_FOUND = 127  # what shells say


@dataclass(frozen=True, slots=True)
class LocalSlurm:
    """This machine, where sbatch is."""

    words: str = "this machine"
    block_bytes: int = 2**20
    is_here: bool = True

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:
        """Run a command and return what came of it. Raises UnreachableError where it does not end."""
        try:
            ended = run_watched(arguments, os.environ, timeout_s=_WITHIN_S, content=content)
        except NotStartedError as error:
            if error.is_missing:
                return CommandResult(_NOT_FOUND, b"", f"{arguments[0]}: command not found")
            return CommandResult(126, b"", error.problem)
        if ended.timed_out:
            problem = f"{arguments[0]} has not answered for {_WITHIN_S} s"
            hint = "`scontrol ping` says whether slurmctld runs"
            raise UnreachableError(problem, where=self.words, hint=hint)
        return CommandResult(ended.status, ended.content, ended.error)
