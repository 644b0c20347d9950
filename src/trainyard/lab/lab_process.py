"""Which processes of this machine belong to a lab: told by what they are, so that also a killed call leaves none lost.

Daemons have the lab's folder in their command line, or it or its slurm.conf in their environment. What runs in jobs has
Slurm's names of cluster and node in its environment. The slurmstepd above it has neither, and writes to the log of its
node.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_STEP_DAEMON = "slurmstepd"
_DAEMONS = ("slurmd", "slurmctld", "munged", "slurmdbd", "mariadbd")
OF_LAB = "TRAINYARD_LAB"
"""The variable that names a lab's folder to daemons of ours, whose command lines do not tell them apart."""


class LabProcess(NamedTuple):
    """A process of this user, or of anybody where this user is root."""

    id: int
    parent: int
    name: str
    arguments: tuple[str, ...]
    variables: dict[str, str]
    state: str = ""
    """As proc(5) has it: T where it was stopped."""

    @property
    def is_in_step(self) -> bool:
        """Return whether it was started by srun: a batch script has no number of a step, or one below 0.

        https://github.com/SchedMD/slurm/blob/slurm-24-11-5-1/slurm/slurm.h (SLURM_BATCH_SCRIPT)
        """
        step = self.variables.get("SLURM_STEP_ID", "")
        return step.isdigit() and int(step) < 2**31


def processes() -> Iterator[LabProcess]:
    """Yield every process that this user may look at.

    https://man7.org/linux/man-pages/man5/proc.5.html
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            name, rest = status.partition("(")[2].rpartition(")")[::2]
            state, parent = rest.split()[:2]
            if state in ("Z", "X"):
                continue
            arguments = _words(folder / "cmdline")
            variables = dict(word.partition("=")[::2] for word in _words(folder / "environ"))
        except (OSError, ValueError):  # it has ended, or it is somebody else's
            continue
        # `scontrol reconfigure` lets newer daemons start anew, by the names that Debian's alternatives lead to.
        yield LabProcess(int(folder.name), int(parent), name.removesuffix("-wlm"), arguments, variables, state)


def daemons(folder: Path) -> list[LabProcess]:
    """Return the daemons of the lab in a folder."""
    inside = f"{folder}/"
    return [
        process for process in processes()
        if process.variables.get(OF_LAB) == str(folder)
        or (
            process.name in _DAEMONS
            and any(inside in word for word in (*process.arguments[1:], process.variables.get("SLURM_CONF", "")))
        )
    ]  # fmt: skip


def node_daemon(folder: Path, node: str) -> list[LabProcess]:
    """Return the slurmd of a node."""
    return [
        process for process in daemons(folder)
        if process.name == "slurmd" and ("-N", node) in zip(process.arguments, process.arguments[1:], strict=False)
    ]  # fmt: skip


def job_processes(lab: str, node: str | None = None) -> list[LabProcess]:
    """Return what runs in jobs of a lab, or of one of its nodes."""
    return [
        process for process in processes()
        if process.variables.get("SLURM_CLUSTER_NAME") == lab
        and "SLURM_JOB_ID" in process.variables
        and process.variables.get("SLURMD_NODENAME", "") == (node or process.variables.get("SLURMD_NODENAME", ""))
        and process.variables.get("SLURMD_NODENAME")
        and process.id != os.getpid()
    ]  # fmt: skip


def step_daemons(folder: Path, node: str | None = None) -> list[LabProcess]:
    """Return the slurmstepds of the lab in a folder, or of one of its nodes: each holds a step of a job."""
    inside, log = f"{folder}/", f"/{node}.log" if node else ".log"
    return [
        process for process in processes()
        if process.name == _STEP_DAEMON
        and any(inside in file and file.endswith(log) for file in _open_files(process.id))
    ]  # fmt: skip


def _open_files(process: int) -> Iterator[str]:
    # Within another root, the path begins with what only that one has.
    for file in Path(f"/proc/{process}/fd").glob("*"):
        with suppress(OSError):  # it has been closed
            yield str(file.readlink())


def _words(file: Path) -> tuple[str, ...]:
    return tuple(word for word in file.read_bytes().decode(errors="replace").split("\0") if word)
