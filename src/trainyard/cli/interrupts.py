"""Ctrl-C during long work: the first one stops it in good order, the second asks for patience, the third ends it."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trainyard.cli.output import print_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTERRUPTED = 130  # what shells say of a program that SIGINT ended: 128 + 2


@contextmanager
def interruptible(afterwards: str) -> Iterator[None]:
    """Let the work inside be interrupted; ``afterwards`` says what has become of it and what to do next."""
    presses = 0

    def pressed(_signal: int, _frame: object) -> None:
        nonlocal presses
        presses += 1
        if presses == 1:
            raise KeyboardInterrupt
        if presses > 2:
            os._exit(_INTERRUPTED)
        print_text("still stopping; Ctrl-C once more ends at once, and leaves the lock to the next call", err=True)

    former = signal.signal(signal.SIGINT, pressed)
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is over in a moment
        print_text(f"interrupted: {afterwards}", err=True)
        sys.exit(_INTERRUPTED)
    else:
        signal.signal(signal.SIGINT, former)
