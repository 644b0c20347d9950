"""Slurm's commands, played back from what a real one printed. record_slurm.py says how that was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECORDED = Path(__file__).parent / "recorded"


class RecordedPrograms:
    """Prints what was recorded, or what a test puts in its place, and remembers what was run."""

    def __init__(self, version: str = "22.05", /, **instead: bytes | Exception) -> None:
        """Play back one version."""
        self.commands: list[Sequence[str]] = []
        self._folder, self._instead = RECORDED / version, instead

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        del timeout_s, most_bytes, variables
        self.commands.append(command)
        answer = self._instead.get(command[0])
        if isinstance(answer, Exception):
            raise answer
        return (self._folder / command[0]).read_bytes() if answer is None else answer
