"""Cleaning up before a signal ends this process."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let a signal that asks this process to end be followed only once the block has cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    # Who listens already does the same, or better.
    signals = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    former = {number: signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
