"""A step that outlived its runner, which was killed: it is found and ended, so that it never runs twice at a time."""

from __future__ import annotations

from pathlib import Path

from trainyard_node.atomic_write import write_whole


def note_step(file: Path, group: int) -> None:
    """Write down which process group runs a step, and when it began, as numbers of processes come again."""
    try:
        write_whole(file, f"{group} {_began(group)}\n")
    except OSError:
        return


def forget_step(file: Path) -> None:
    """No step runs any more."""
    try:
        file.unlink()
    except OSError:
        return


def leftover_group(file: Path) -> int | None:
    """Return the process group that a killed runner left, where it still runs."""
    try:
        group, began = file.read_text(encoding="utf-8").split()
        return int(group) if began == _began(int(group)) else None
    except (OSError, ValueError):
        return None


def _began(process: int) -> str:
    """Return when a process began, in ticks since the machine did: field 22 of proc_pid_stat(5)."""
    stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    return stat.rpartition(")")[2].split()[19]
