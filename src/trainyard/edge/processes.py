"""Processes of this machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from trainyard.edge.watched_program import run_watched

_ANSWERS_WITHIN_S = 10.0


def place() -> str:
    """Return where process ids mean the same: this machine since it was started, and this container in it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux
        return socket.gethostname()


def beginning(process: int) -> str | None:
    """Return when a process of this machine began, in a form that is only compared; None where it has ended.

    Ids are used again; id and beginning together are not. A process that has ended and that nobody has asked about is
    a zombie, and counts as ended. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    """
    try:
        state, *fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return _beginning_by_ps(process)
    return None if state in ("Z", "X") else fields[18]


def _beginning_by_ps(process: int) -> str | None:
    if Path("/proc/self/stat").exists():
        return None
    words = ["ps", "-o", "stat=,lstart=", "-p", str(process)]  # macOS
    state, _, began = run_watched(words, os.environ, timeout_s=_ANSWERS_WITHIN_S).output.strip().partition(" ")
    return None if not began or state.startswith("Z") else began.strip()


def is_running(process: object) -> bool:
    """Return whether a process of this id exists here; False for what is no id."""
    if not isinstance(process, int) or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
