"""Reads the text files that users name: bounded, and with every way it can fail told as a finding."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from trainyard.document.problems import MOST_CHARACTERS, too_large
from trainyard.errors import DocumentError, InputError
from trainyard.finding import Finding

# UTF-8 takes at most four bytes for a character.
_MOST_BYTES = 4 * MOST_CHARACTERS


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for ``-``. Raises DocumentError."""
    content = _read_bytes(file)
    if len(content) > _MOST_BYTES:
        raise DocumentError((too_large(file, _size(file) or len(content)),))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise DocumentError((_not_utf8(file, content, error),)) from None


def read_beginning(file: str) -> str:
    """Return the text of a file as far as it is read at all: whole lines, whatever is no text replaced.

    A log says at its beginning what it is about, and may be of any size. Raises DocumentError.
    """
    content = _read_bytes(file)
    if len(content) > _MOST_BYTES:
        content = content[: content.rfind(b"\n", 0, _MOST_BYTES) + 1]
    return content.decode(errors="replace")


def _read_bytes(file: str) -> bytes:
    try:
        if file == "-":
            return _read_standard_input()
        with Path(file).open("rb") as stream:
            return stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise DocumentError((_unreadable(file, error),)) from None


def _read_standard_input() -> bytes:
    # Python has no standard input where the caller closed it: https://docs.python.org/3/library/sys.html#sys.__stdin__
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer.read(_MOST_BYTES + 1)


def _unreadable(file: str, error: OSError) -> Finding:
    match error:
        case _ if not file:
            message, remedy = "names no file", "is a variable of the command line empty?"
        case FileNotFoundError() if Path(file).is_symlink():
            message, remedy = "is a link to a file that does not exist", "correct the link, or name the file itself"
        case FileNotFoundError():
            message, remedy = "does not exist", "check the name; `trainyard new p5-observability -o FILE` makes a spec"
        case IsADirectoryError():
            message, remedy = "is a folder", "name the spec file in it"
        case PermissionError():
            message, remedy = "may not be read by this user", "change its permissions or read it as another user"
        case _:
            message, remedy = f"cannot be read: {error.strerror}", "check the path and the disk"
    return Finding("file-unreadable", "error", f"{file or 'the empty name'} {message}", remedy, file=file)


def _not_utf8(file: str, content: bytes, error: UnicodeDecodeError) -> Finding:
    before = content[: error.start].decode()
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    message = f"byte 0x{content[error.start]:02x} is not UTF-8 text"
    return Finding("file-not-utf8", "error", message, "save the file as UTF-8", file=file, line=line, column=column)


def _size(file: str) -> int | None:
    try:
        return Path(file).stat().st_size or None
    except OSError:
        return None


def read_small_file(file: Path, most_bytes: int) -> bytes | None:
    """Return the content of a file, None where there is none. Raises InputError where it cannot be read."""
    try:
        with file.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = f"{file} cannot be read: {error.strerror}"
        raise InputError(problem, where=str(file), hint="check its permissions and the disk") from error
    if len(content) > most_bytes:
        raise InputError(f"{file} is larger than {most_bytes:,} bytes", where=str(file), hint="is it the right file?")
    return content
