"""Folders for what trainyard can make again, and the lock that keeps two processes from making one at once."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from trainyard.errors import TrainyardError


def cache_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Return ``$TRAINYARD_CACHE``, else ``$XDG_CACHE_HOME/trainyard``, else ``~/.cache/trainyard``; it may not exist.

    An empty variable counts as unset, and a relative XDG_CACHE_HOME is ignored:
    https://specifications.freedesktop.org/basedir-spec/latest/#variables
    """
    return _folder(variables, "TRAINYARD_CACHE", "XDG_CACHE_HOME", ".cache")


def state_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Return ``$TRAINYARD_STATE``, else ``$XDG_STATE_HOME/trainyard``, else ``~/.local/state/trainyard``.

    It holds what belongs to processes that run, and may not exist.
    """
    return _folder(variables, "TRAINYARD_STATE", "XDG_STATE_HOME", ".local/state")


def _folder(variables: Mapping[str, str], own: str, of_desktop: str, default: str) -> Path:
    if chosen := variables.get(own):
        return Path(chosen).absolute()
    xdg = Path(variables.get(of_desktop, ""))
    if xdg.is_absolute():
        return xdg / "trainyard"
    return _home(variables) / default / "trainyard"


def refuse_folder_of_others(folder: Path) -> None:
    """Raise TrainyardError where somebody else may put programs into a folder, or move one there; root may.

    As sshd looks at keys: https://man.openbsd.org/sshd_config#StrictModes
    """
    resolved = folder.resolve()
    for place in (folder, *folder.parents, resolved, *resolved.parents):
        try:
            state = place.stat()
        except OSError:  # not there yet, or not to be reached: nothing can be run from it
            continue
        if state.st_uid not in (os.getuid(), 0, _unmapped_user()):
            raise _of_others(place, f"belongs to the user {state.st_uid}")
        group_writes = state.st_mode & stat.S_IWGRP and state.st_gid not in (0, os.getgid())
        if (group_writes or state.st_mode & stat.S_IWOTH) and not state.st_mode & stat.S_ISVTX:
            raise _of_others(place, "may be written by others")


def _of_others(place: Path, why: str) -> TrainyardError:
    return TrainyardError(
        f"programs would be run out of a folder of others: {place} {why}",
        where=str(place),
        hint="set TRAINYARD_CACHE to a folder of your own that nobody else may write to",
    )


def _unmapped_user() -> int:
    """Return whom files of users belong to that a container does not know, such as the root outside it."""
    try:
        return int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no Linux
        return 0


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
