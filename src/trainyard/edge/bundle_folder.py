"""Writes a folder of files so that at every moment either the former or the new one is there, whole."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from trainyard.errors import InputError, TrainyardError

Exchange = Callable[[Path, Path], bool]

MARKER = ".trainyard.json"


class WrittenBundle(NamedTuple):
    """What became of a folder."""

    folder: Path
    backup: Path | None
    """Where the former folder went, when it held anything that trainyard had not written."""


def write_folder(
    folder: Path, files: Mapping[str, bytes], *, force: bool = False, exchange: Exchange | None = None
) -> WrittenBundle:
    """Replace a folder by one that holds exactly these files and a marker.

    A folder that trainyard did not write, or that was changed since, is refused; ``force`` moves it aside and keeps it.
    Killed at any moment, the former folder is whole, or is put back by the next call. ``exchange`` swaps two folders in
    one step, or returns False where the system cannot.
    Raises InputError where the folder is refused, TrainyardError where it cannot be written.
    """
    with _ready(folder, force=force) as (target, foreign):
        new = _beside(target, "new")
        _fill(new, files)
        return WrittenBundle(folder, _swap(new, target, keep=foreign is not None, exchange=exchange or _exchange))


def refuse_folder(folder: Path, *, force: bool = False) -> None:
    """Raise what ``write_folder`` would, as far as it can be seen before there is anything to write."""
    with _ready(folder, force=force) as (target, _):
        new = _beside(target, "new")
        new.mkdir()
        new.rmdir()


@contextmanager
def _ready(folder: Path, *, force: bool) -> Iterator[tuple[Path, str | None]]:
    """Give a folder that may be replaced, and why it may be only by force; nobody else writes beside it meanwhile."""
    target = _absolute(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone_in(target.parent):
            _restore(target)
            foreign = _foreign(target)
            if foreign is not None and not force:
                hint = "choose another folder, or --force to move this one aside"
                raise InputError(f"{folder} {foreign}", where=str(folder), hint=hint)
            yield target, foreign
    except OSError as error:
        shutil.rmtree(_beside(target, "new"), ignore_errors=True)
        raise TrainyardError(
            f"could not write {folder}: {error.strerror}", where=str(error.filename or folder), hint=_hint(error)
        ) from error


@contextmanager
def _alone_in(parent: Path) -> Iterator[None]:
    """Keep other processes from writing folders beside this one. The lock goes with the process."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        # Network file systems without locks are used by one person at a time.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _absolute(folder: Path) -> Path:
    target = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link at the end
    if target.is_symlink():
        target = target.resolve()
    here = Path.cwd()
    if target == here or target in here.parents:
        raise InputError(
            f"{folder} is, or holds, the folder you are in",
            where=str(folder),
            hint="name a folder of its own, such as build/my-cluster",
        )
    return target


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.trainyard-{what}")


def _restore(target: Path) -> None:
    """Undo what a killed call left: put the former folder back, remove what was not finished."""
    former = _beside(target, "former")
    if former.exists() and not target.exists():
        former.rename(target)
    for leftover in (former, _beside(target, "new")):
        if leftover.exists():
            shutil.rmtree(leftover)


def _foreign(target: Path) -> str | None:
    """Return why a folder must not be replaced, None where it may be."""
    if not target.exists():
        return None
    if not target.is_dir():
        return "is not a folder"
    names = {str(file.relative_to(target)) for file in target.rglob("*") if not file.is_dir()}
    if not names:
        return None
    try:
        sums = dict(json.loads((target / MARKER).read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return "was not made by trainyard"
    changed = sorted(name for name, digest in sums.items() if name not in names or digest != _digest(target / name))
    added = sorted(names - set(sums) - {MARKER})
    if changed or added:
        return f"was changed since trainyard made it ({', '.join([*changed, *added][:3])})"
    return None


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _fill(new: Path, files: Mapping[str, bytes]) -> None:
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    marker = json.dumps({"schema": 1, "made_by": "trainyard", "files": sums}, indent=2) + "\n"
    for parent in {Path(name).parent for name in files}:
        (new / parent).mkdir(parents=True, exist_ok=True)
    for name, content in {**files, MARKER: marker.encode()}.items():
        (new / name).write_bytes(content)
    _bring_to_disk(new)


def _bring_to_disk(folder: Path) -> None:
    """Return once everything in a folder is on the disk: in one step where the system can, else file by file.

    https://man7.org/linux/man-pages/man2/sync.2.html
    """
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:
        for file in (path for path in folder.rglob("*") if path.is_file()):
            _call_with_descriptor(os.fsync, file)
    elif _call_with_descriptor(syncfs, folder) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(folder))


def _call_with_descriptor(function: Callable[[int], object], path: Path) -> object:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return function(descriptor)
    finally:
        os.close(descriptor)


def _swap(new: Path, target: Path, *, keep: bool, exchange: Exchange) -> Path | None:
    """Put the new folder into place. The former one is removed, or kept beside it under a free name."""
    if not target.exists():
        new.rename(target)
        return None
    if keep:
        numbered = (target.with_name(f"{target.name}.before-{n}") for n in range(1, 10_000))
        backup = next(free for free in numbered if not free.exists())
        target.rename(backup)
        new.rename(target)
        return backup
    if exchange(new, target):
        shutil.rmtree(new)
        return None
    former = _beside(target, "former")
    target.rename(former)
    new.rename(target)
    shutil.rmtree(former)
    return None


def _exchange(first: Path, other: Path) -> bool:
    """Exchange two folders in one step where the system can. https://man7.org/linux/man-pages/man2/rename.2.html."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(first), here, os.fsencode(other), exchange) == 0)


def _hint(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "the disk is full: make room; the former folder is unchanged"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "choose a folder that you may write to"
    return "the former folder, if there was one, is unchanged"
