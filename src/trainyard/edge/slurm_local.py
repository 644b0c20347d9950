"""Commands of a Slurm that is on this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from trainyard.edge.remote_command import CommandResult, UnreachableError

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
            done = subprocess.run(arguments, input=content, capture_output=True, check=False, timeout=_WITHIN_S)
        except FileNotFoundError:
            return CommandResult(_NOT_FOUND, b"", f"{arguments[0]}: command not found")
        except OSError as error:
            return CommandResult(126, b"", f"{arguments[0]}: {error.strerror or error}")
        except subprocess.TimeoutExpired:
            problem = f"{arguments[0]} has not answered for {_WITHIN_S} s"
            hint = "`scontrol ping` says whether slurmctld runs"
            raise UnreachableError(problem, where=self.words, hint=hint) from None
        return CommandResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
