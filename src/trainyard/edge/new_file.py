"""Writes a file whole or not at all: one that was not there before, or a new text of one that was."""

from __future__ import annotations

import os
import stat
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
        # A temporary file is private; this one is as open as any other that the user makes.
        _write(file, text, 0o666 & ~umask())
    except OSError as error:
        raise TrainyardError(
            f"could not write {file}: {error.strerror}",
            where=str(file),
            hint="choose a folder on a disk with room that you may write to",
        ) from error


def replace_text(file: Path, before: str, after: str) -> None:
    """Write a new text into a file, or where a link leads, with the rights that it has.

    Raises TrainyardError where its text is not what it was before, or on failure; the file is as it was then.
    """
    try:
        target = file.resolve(strict=True)
        if target.read_bytes() != before.encode():
            hint = "nothing was written into it; call the command again"
            raise TrainyardError(f"{file} has changed since it was read", where=str(file), hint=hint)
        _write(target, after, stat.S_IMODE(target.stat().st_mode))
    except OSError as error:
        hint = "nothing was written into it; it has to be in a folder that you may write to, on a disk with room"
        raise TrainyardError(f"could not write {file}: {error.strerror}", where=str(file), hint=hint) from error


def _write(file: Path, text: str, mode: int) -> None:
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=file.parent, prefix=f".{file.name}.", delete=False
    ) as new:
        try:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            Path(new.name).chmod(mode)
            Path(new.name).replace(file)
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise


def umask() -> int:
    """Return which rights new files do not get. Not for programs with threads: it is changed for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
