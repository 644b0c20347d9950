"""Folders for what trainyard can make again, and the lock that keeps two processes from making one at once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from trainyard.errors import TrainyardError


def cache_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Return ``$TRAINYARD_CACHE``, else ``$XDG_CACHE_HOME/trainyard``, else ``~/.cache/trainyard``; it may not exist.

    An empty variable counts as unset, and a relative XDG_CACHE_HOME is ignored:
    https://specifications.freedesktop.org/basedir-spec/latest/#variables
    """
    if chosen := variables.get("TRAINYARD_CACHE"):
        return Path(chosen).absolute()
    xdg = Path(variables.get("XDG_CACHE_HOME", ""))
    if xdg.is_absolute():
        return xdg / "trainyard"
    return _home(variables) / ".cache" / "trainyard"


def _home(variables: Mapping[str, str]) -> Path:
    if home := variables.get("HOME"):
        return Path(home)
    try:
        return Path.home()
    except RuntimeError as error:  # containers run as users that no password file knows
        problem = "this user has no home folder to keep a cache in"
        raise TrainyardError(problem, hint="set TRAINYARD_CACHE to a folder") from error


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
