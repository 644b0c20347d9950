"""Slurm's commands, played back from what a real one printed. record_slurm.py says how that was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"


# How records ended when they were recorded. Each reading has an end of its own.
END = b"\x1e0123456789abcdef"


def end_of(command: Sequence[str]) -> bytes:
    """Return how the records of a command shall end."""
    return b"\x1e" + command[-1].rpartition("\x1e")[2].encode()


def recorded(program: str, version: str = "22.05") -> bytes:
    """Return what a program printed."""
    return (RECORDED / version / program).read_bytes()


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
        printed = (self._folder / command[0]).read_bytes() if answer is None else answer
        return printed.replace(END, end_of(command)) if END in printed else printed
