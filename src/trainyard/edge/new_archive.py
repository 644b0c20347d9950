"""Writes an archive (.tar.gz) that was not there before, file after file, whole or not at all.

An archive is handed on, so secrets do not get into it unless that is asked for.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from trainyard.edge.new_file import umask
from trainyard.errors import InputError, TrainyardError
from trainyard.redaction.secret_filter import copy_without_secrets

_IN_MEMORY_BYTES = 4 << 20
_COMPRESSION = 6  # as gzip's own; tarfile's 9 takes far longer for little


class NewArchive:
    """An archive under another name, until all is in it."""

    def __init__(self, tar: tarfile.TarFile, folder: Path, *, redact: bool) -> None:
        """Take an open archive, the folder in which it grows, and whether secrets are replaced in it."""
        self._tar = tar
        self._folder = folder
        self._redact = redact

    def part(self) -> IO[bytes]:
        """Return a file for the content of one member; small ones stay in memory. It goes when it is closed."""
        file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=str(self._folder))  # noqa: SIM115  the caller closes it
        return file

    def add(self, name: str, content: IO[bytes], modified_s: float) -> None:
        """Add a member with what stands in a file from its beginning to where it is now."""
        if self._redact:
            with self.part() as redacted:
                content.seek(0)
                copy_without_secrets(content, redacted)
                self._add(name, redacted, modified_s)
        else:
            self._add(name, content, modified_s)

    def take_over(self, file: Path, name_of: Callable[[str], str] = lambda name: name) -> None:
        """Add all files that are in another archive, under other names."""
        with tarfile.open(file) as tar:
            for member in tar:
                if (source := tar.extractfile(member)) is not None:
                    with self.part() as content:
                        shutil.copyfileobj(source, content, 1 << 20)
                        self.add(name_of(member.name), content, member.mtime)

    def _add(self, name: str, content: IO[bytes], modified_s: float) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = content.tell(), int(modified_s), 0o644
        content.seek(0)
        self._tar.addfile(member, content)


def refuse_existing(file: Path, *, force: bool) -> None:
    """Raise InputError where there is such a file and it is not to be replaced."""
    if not force and os.path.lexists(file):
        raise InputError(
            f"{file} exists already", where=str(file), hint="choose another name, or --force to replace it"
        )


@contextmanager
def new_archive(file: Path, *, force: bool = False, redact: bool = True) -> Iterator[NewArchive]:
    """Hand out an archive to fill. It gets its name when all is in it; whatever happens before leaves nothing.

    Unless ``redact`` is False, secrets are replaced in what is put into it.
    Raises InputError where it exists and is not to be replaced, TrainyardError where the disk is full.
    """
    refuse_existing(file, force=force)
    try:
        with new_place(file) as place:
            with (
                place.open("wb") as raw,
                tarfile.open(fileobj=raw, mode="w:gz", compresslevel=_COMPRESSION, format=tarfile.PAX_FORMAT) as tar,
            ):
                yield NewArchive(tar, file.parent, redact=redact)
            with place.open("rb") as written:
                os.fsync(written.fileno())
    except OSError as error:
        raise TrainyardError(
            f"could not write {file}: {error.strerror or error}",
            where=str(file),
            hint="choose a folder on a disk with room that you may write to",
        ) from error


@contextmanager
def new_place(file: Path) -> Iterator[Path]:
    """Hand out an empty file beside ``file`` that takes its name at the end, and goes where anything fails."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    os.close(descriptor)
    place = Path(name).absolute()  # other programs may write to it, and have another working folder
    try:
        yield place
        # A temporary file is private; this one is as open as any other that the user makes.
        place.chmod(0o666 & ~umask())
        place.replace(file)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
