"""Processes of this machine."""

from __future__ import annotations

import os


def is_running(process: object) -> bool:
    """Return whether a process of this id exists on this machine; False for what is no id."""
    if not isinstance(process, int) or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return isinstance(process, int)
    return True
