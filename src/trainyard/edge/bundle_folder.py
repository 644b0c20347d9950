"""Writes a folder of files so that at every moment either the former or the new one is there, whole.

What did not change since the former one is not written again: both folders hold the same file for a moment.
"""

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


class _FormerFolder(NamedTuple):
    """What lies in the place of a folder."""

    foreign: str | None = None
    """Why it must not be replaced, None where it may be."""
    sums: Mapping[str, str] = {}
    """The SHA-256 of the files in it that are as trainyard made them."""


def write_folder(
    folder: Path, files: Mapping[str, bytes], *, force: bool = False, exchange: Exchange | None = None
) -> WrittenBundle:
    """Replace a folder by one that holds exactly these files and a marker.

    A folder that trainyard did not write, or that was changed since, is refused; ``force`` moves it aside and keeps it.
    Killed at any moment, the former folder is whole, or is put back by the next call. ``exchange`` swaps two folders in
    one step, or returns False where the system cannot.
    Raises InputError where the folder is refused, TrainyardError where it cannot be written.
    """
    with _ready(folder, force=force) as (target, former):
        new = _beside(target, "new")
        keep = former.foreign is not None
        _fill(new, files, target, {} if keep else former.sums)
        return WrittenBundle(folder, _swap(new, target, keep=keep, exchange=exchange or _exchange))


def refuse_folder(folder: Path, *, force: bool = False) -> None:
    """Raise what ``write_folder`` would, as far as it can be seen before there is anything to write."""
    with _ready(folder, force=force) as (target, _):
        new = _beside(target, "new")
        new.mkdir()
        new.rmdir()


@contextmanager
def _ready(folder: Path, *, force: bool) -> Iterator[tuple[Path, _FormerFolder]]:
    """Give a folder that may be replaced, and what is in its place; nobody else writes beside it meanwhile."""
    target = _absolute(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone_in(target.parent):
            _restore(target)
            former = _former(target)
            if former.foreign is not None and not force:
                hint = "choose another folder, or --force to move this one aside"
                raise InputError(f"{folder} {former.foreign}", where=str(folder), hint=hint)
            yield target, former
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


def _former(target: Path) -> _FormerFolder:
    if not target.exists():
        return _FormerFolder()
    if not target.is_dir():
        return _FormerFolder("is not a folder")
    names = {f"{folder}/{name}"[len(str(target)) + 1 :] for folder, _, files in os.walk(target) for name in files}
    if not names:
        return _FormerFolder()
    try:
        sums = dict(json.loads((target / MARKER).read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return _FormerFolder("was not made by trainyard")
    changed = sorted(name for name, digest in sums.items() if name not in names or digest != _digest(target, name))
    added = sorted(names - set(sums) - {MARKER})
    if changed or added:
        return _FormerFolder(f"was changed since trainyard made it ({', '.join([*changed, *added][:3])})")
    return _FormerFolder(sums=sums)


def _digest(folder: Path, name: str) -> str:
    with open(f"{folder}/{name}", "rb", buffering=0) as file:  # noqa: PTH123  a Path for each of 100 files takes longer
        return hashlib.sha256(file.read()).hexdigest()


def _fill(new: Path, files: Mapping[str, bytes], former: Path, former_sums: Mapping[str, str]) -> None:
    """Write a folder. ``former_sums`` are the SHA-256 of the files that may be taken from the former one."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    marker = json.dumps({"schema": 1, "made_by": "trainyard", "files": sums}, indent=2) + "\n"
    for parent in {name.rpartition("/")[0] for name in files}:
        (new / parent).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if former_sums.get(name) != sums[name] or not _linked(former / name, new / name):
            (new / name).write_bytes(content)
    (new / MARKER).write_bytes(marker.encode())
    _bring_to_disk(new)


def _linked(former: Path, new: Path) -> bool:
    """Let a folder hold a file of the former one. Return False where the system does not, or it is itself a link."""
    try:
        if not former.is_symlink():
            os.link(former, new)
            return True
    except OSError:
        pass
    return False


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
