"""Where files come from: one file, a folder, an archive, or standard input. Links are not followed."""

from __future__ import annotations

import datetime as dt
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from trainyard.edge.archive_contents import contents
from trainyard.edge.archive_limits import LIMITS, ArchiveLimits, Budget, DamagedError
from trainyard.edge.archive_stream import ByteStream
from trainyard.edge.archive_tar import Member, SkippedMember
from trainyard.errors import InputError

_BLOCK_BYTES = 2**18
STANDARD_INPUT = "-"


class OpenedSource:
    """Something with files in it, opened when it is made and read once."""

    def __init__(self, name: str, limits: ArchiveLimits = LIMITS) -> None:
        """Open a file or folder, or standard input for ``-``. Raises InputError where it cannot be."""
        self.name = name
        self.read_bytes = 0
        """Of what lies on the disk, up to now."""
        self._budget = Budget(limits)
        self._file: IO[bytes] | None = None
        self._folder = Path(name) if name != STANDARD_INPUT and Path(name).is_dir() else None
        self.size_bytes = self._open()
        """Of what lies on the disk; None where it is not known before the end."""

    @property
    def is_folder(self) -> bool:
        """Whether it has files that can be read again."""
        return self._folder is not None

    def close(self) -> None:
        """Close what was opened; standard input stays."""
        if self._file and self._file is not sys.stdin.buffer:
            self._file.close()

    def members(self) -> Iterator[Member | SkippedMember]:
        """Yield the files, and what is no file or cannot be read. Reading blocks may raise DamagedError."""
        if self._folder:
            try:
                yield from self._below(self._folder)
            except DamagedError as error:  # more files than the limit
                yield SkippedMember(self.name, str(error))
        elif self._file:
            yield from contents(self.name, ByteStream(self._blocks(self._file)), self._budget, _written(self._file))

    def _open(self) -> int | None:
        try:
            if self._folder:
                os.scandir(self._folder).close()
                return None
            if self.name == STANDARD_INPUT:
                self._file = sys.stdin.buffer
                return None
            self._file = Path(self.name).open("rb", buffering=0)  # noqa: SIM115  close() closes it
            state = os.fstat(self._file.fileno())
        except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be read: {why}", where=self.name) from error
        return state.st_size if stat.S_ISREG(state.st_mode) else None

    def _below(self, folder: Path) -> Iterator[Member | SkippedMember]:
        unreadable: list[SkippedMember] = []
        walk = os.walk(folder, onerror=lambda error: unreadable.append(self._skipped(error)))
        for path, folders, names in walk:
            folders.sort()
            for name in sorted(names):
                yield from self._entry(Path(path, name), printable_name(str(Path(path, name).relative_to(folder))))
            yield from (
                SkippedMember(printable_name(folder), "a link") for folder in folders if Path(path, folder).is_symlink()
            )
        yield from unreadable

    def _entry(self, path: Path, name: str) -> Iterator[Member | SkippedMember]:
        try:
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                yield SkippedMember(name, "a link" if stat.S_ISLNK(mode) else "no file")
                return
            # It may have become a link, or a pipe, since.
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            yield SkippedMember(name, error.strerror or str(error))
            return
        with open(number, "rb", buffering=0) as file:  # noqa: PTH123  a descriptor has no path
            stream = ByteStream(self._blocks(file))
            yield from contents(name, stream, self._budget, _written(file), outermost=False)

    def _skipped(self, error: OSError) -> SkippedMember:
        return SkippedMember(printable_name(str(error.filename or self.name)), error.strerror or str(error))

    def _blocks(self, file: IO[bytes]) -> Iterator[bytes]:
        try:
            while block := file.read(_BLOCK_BYTES):
                self.read_bytes += len(block)
                yield block
        except OSError as error:
            raise DamagedError(error.strerror or str(error)) from error


def printable_name(name: str) -> str:
    """Return the name of a file with what is no UTF-8 in it replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def _written(file: IO[bytes]) -> dt.datetime | None:
    try:
        state = os.fstat(file.fileno())
    except (OSError, ValueError):  # standard input that is no file
        return dt.datetime.now(dt.UTC)
    return dt.datetime.fromtimestamp(state.st_mtime, dt.UTC) if stat.S_ISREG(state.st_mode) else dt.datetime.now(dt.UTC)
