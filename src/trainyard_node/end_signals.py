"""Signals that ask the runner to end become an exception, so that it can say so first."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class AskedToEnd(BaseException):
    """A signal came. No `except Exception` takes it for an error."""

    def __init__(self, number: int) -> None:
        """Keep which one it was."""
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.exit_status = 128 + number


@contextmanager
def signals_raise() -> Iterator[None]:
    """Raise AskedToEnd at the first signal; the next ones change nothing, for the record is being written."""
    before = {number: signal.signal(number, _raise) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise(number: int, _: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise AskedToEnd(number)
