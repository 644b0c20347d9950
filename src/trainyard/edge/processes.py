"""Processes of this machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def place() -> str:
    """Return where process ids mean the same: this machine since it was started, and this container in it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux
        return socket.gethostname()


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
