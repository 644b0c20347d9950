"""Writes a file that was not there before, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from trainyard.errors import InputError, TrainyardError


def write_new_file(file: Path, text: str, *, force: bool = False) -> None:
    """Write a text file. Raises InputError where it exists and is not to be replaced, TrainyardError on failure."""
    try:
        if not force and os.path.lexists(file):
            raise InputError(
                f"{file} exists already", where=str(file), hint="choose another name, or --force to replace it"
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, prefix=f".{file.name}.", delete=False
        ) as new:
            try:
                new.write(text)
                new.flush()
                os.fsync(new.fileno())
                # A temporary file is private; this one is as open as any other that the user makes.
                Path(new.name).chmod(0o666 & ~umask())
                Path(new.name).replace(file)
            except BaseException:
                Path(new.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise TrainyardError(
            f"could not write {file}: {error.strerror}",
            where=str(file),
            hint="choose a folder on a disk with room that you may write to",
        ) from error


def umask() -> int:
    """Return which rights new files do not get. Not for programs with threads: it is changed for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
