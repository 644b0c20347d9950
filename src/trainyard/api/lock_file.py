"""Where the lock of a spec's assets lies, and what is in it."""

from __future__ import annotations

from pathlib import Path

from trainyard.bundle.asset_lock import FILE_NAME, MOST_BYTES, parse_lock
from trainyard.edge.small_file import read_small_file


def beside(file: str) -> Path:
    """Return where the lock of a spec file is; in the working folder for standard input."""
    return Path(FILE_NAME) if file == "-" else Path(file).with_name(FILE_NAME)


def lock_beside(file: str) -> bytes | None:
    """Return the lock of a spec file as it stands there, None where there is none.

    Raises InputError where it is damaged.
    """
    place = beside(file)
    content = read_small_file(place, MOST_BYTES)
    parse_lock(content, str(place))
    return content
