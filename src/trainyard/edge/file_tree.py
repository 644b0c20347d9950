"""Lists the files below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# What tools keep for themselves, beside folders whose names begin with a dot.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


def files_below(folder: str) -> Iterator[str]:
    """Yield every file below a folder, by name; links to folders are not followed, hidden folders not entered.

    A folder that may not be read is left out.
    """
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from (str(Path(root) / name) for name in sorted(names))


def is_folder(path: str) -> bool:
    """Return whether a path leads to a folder."""
    try:
        return path not in ("", "-") and Path(path).is_dir()
    except OSError:  # what cannot be looked at is read as a file, which says why it cannot
        return False
