"""Ends the process of an emulated account when nobody needs it any more."""

from __future__ import annotations

import os
import select
import sys

_LOOK_AT_PARENT_S = 1.0


def end_with_parent(parent: int) -> None:
    """End this process at once when its parent is gone or its standard input closes: nothing here outlives them."""
    while os.getppid() == parent:
        readable, _, _ = select.select([sys.stdin], [], [], _LOOK_AT_PARENT_S)
        if readable and not os.read(sys.stdin.fileno(), 4096):
            break
    os._exit(0)
