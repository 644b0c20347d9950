"""Where the lock of a spec's assets lies, and what is in it."""

from __future__ import annotations

from pathlib import Path

from trainyard.bundle.asset_lock import FILE_NAME, MOST_BYTES, parse_lock
from trainyard.edge.small_file import read_small_file
from trainyard.errors import InputError


def beside(file: str) -> Path:
    """Return where the lock of a spec file is; in the working folder for standard input."""
    return Path(FILE_NAME) if file == "-" else Path(file).with_name(FILE_NAME)


def lock_of(file: str, named: Path | None = None) -> bytes | None:
    """Return the lock of a spec file as it stands in the file that was named for it, or else beside it.

    None where none lies beside it. Raises InputError where it is damaged, or where one was named and is not there.
    """
    place = named or beside(file)
    content = read_small_file(place, MOST_BYTES)
    if content is None and named is not None:
        hint = f"`trainyard assets lock {file} -o {named}` makes it"
        raise InputError(f"there is no lock {named}", where=str(named), hint=hint)
    parse_lock(content, str(place))
    return content
