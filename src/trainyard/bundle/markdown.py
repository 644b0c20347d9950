"""Fills the slots of Markdown: a file beside a module holds the pieces of a page, each below its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

_NAME = re.compile(r"^<!-- ([a-z0-9-]+) -->\n", re.MULTILINE)
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


class Pieces:
    """The pieces of one Markdown file, by name."""

    def __init__(self, file: Path) -> None:
        """Read the file when the first piece is asked for."""
        self._file = file

    def lines(self, name: str, /, **values: str | Sequence[str]) -> Iterator[str]:
        """Yield the lines of a piece and an empty one. Where a slot is alone on its line, it may get several lines.

        Raises KeyError for a piece that the file lacks, and for a slot that gets nothing.
        """
        yield from self.rows(name, **values)
        yield ""

    def rows(self, name: str, /, **values: str | Sequence[str]) -> Iterator[str]:
        """Yield the lines of a piece alone, as rows of a table that goes on."""
        for line in _pieces(self._file)[name]:
            alone = _SLOT.fullmatch(line)
            if alone and not isinstance(values[alone[1]], str):
                yield from values[alone[1]]
            else:
                yield _SLOT.sub(lambda slot: str(values[slot[1]]), line)


@cache
def _pieces(file: Path) -> dict[str, list[str]]:
    _, *parts = _NAME.split(file.read_text(encoding="utf-8"))
    return {name: text.strip().splitlines() for name, text in zip(parts[::2], parts[1::2], strict=True)}
