"""Two runs on one node would get into each other's way: the second waits for the first, or does not begin."""

from __future__ import annotations

import fcntl
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from trainyard_node.clock import Clock
from trainyard_node.errors import LATER, NO_SPACE, NodeError

POLL_S = 2.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def run_lock(lock: Path, clock: Clock, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock. Whoever is killed lets go of it."""
    try:
        lock.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        file = lock.open("ab")
    except OSError as error:
        raise NodeError(f"cannot write {lock} ({error.strerror}): run this as root", NO_SPACE) from error
    with file:
        end = clock.seconds() + wait_s
        while not _taken(file):
            if clock.seconds() >= end:
                raise NodeError("another bootstrap runs on this node: wait for its end", LATER)
            clock.sleep(POLL_S)
        yield


def somebody_holds(lock: Path) -> bool:
    """Return whether a bootstrap runs. Who may not ask is told yes."""
    try:
        with lock.open("rb") as file:
            return not _taken(file)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _taken(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
