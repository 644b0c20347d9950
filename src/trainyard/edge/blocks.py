"""Files of any size, read in blocks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainyard.errors import InputError

BLOCK_BYTES = 2**20


@contextmanager
def blocks_of(name: str) -> Iterator[Iterator[bytes]]:
    """Give the blocks of a file, or of standard input where the name is ``-``.

    Raises InputError where it cannot be read.
    """
    if name == "-":
        yield _blocks(sys.stdin.buffer)
        return
    try:
        with Path(name).open("rb") as file:
            yield _blocks(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=name) from error


def _blocks(file: object) -> Iterator[bytes]:
    read = file.read  # type: ignore[attr-defined]
    while block := read(BLOCK_BYTES):
        yield block
