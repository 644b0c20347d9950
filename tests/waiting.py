"""Waits for an event, however busy the machine is: the bound only ends a test that hangs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

HANGS_S = float(os.environ.get("HANGS_S", "300"))
T = TypeVar("T")


def wait_until(event: Callable[[], T], state: Callable[[], object] = lambda: "it did not come to that") -> T:
    """Ask until the answer is true, and return it. One that never is fails the test, with the state of things."""
    end = time.monotonic() + HANGS_S
    while not (answer := event()):
        assert time.monotonic() < end, state()
        time.sleep(0.05)
    return answer
