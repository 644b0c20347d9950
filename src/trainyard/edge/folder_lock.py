"""A lock between processes on one machine, so that two of them do not make the same folder at once."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder_lock(file: Path, waiting: Callable[[], None]) -> Iterator[int]:
    """Hold the lock of this file; call ``waiting`` once when another process has it. Yield the lock's descriptor.

    flock belongs to the open file and not to the process: a child that inherits the descriptor keeps the lock
    when its parent is killed. The file is never removed, because a waiting process may have it open.
    https://man7.org/linux/man-pages/man2/flock.2.html
    """
    with file.open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield stream.fileno()
