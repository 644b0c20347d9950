"""A log in pieces of whole lines, with the number of the first. Lines without end are cut into pieces that overlap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainyard.diagnose.log_file import UnreadableError

# No program writes such lines, except JSON without line breaks; a signature needs 1 % of this.
_LONGEST_LINE_BYTES = 2**20
_OVERLAP_BYTES = 2**14
# Blocks may be single lines, or less; what a log is, is told by its first piece.
_LEAST_BYTES = 2**15
# Lines are counted when a number is asked for, which needs what stands before; so much of a log is kept for that.
_UNCOUNTED_PIECES = 16
# https://ecma-international.org/publications-and-standards/standards/ecma-48/: control sequences, and system commands
# such as the title of a window.
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\)|[@-Z\\^_])")


class Piece:
    """Some lines."""

    __slots__ = ("_before", "_line", "data", "repeated_bytes")

    def __init__(self, data: bytes, line: int | None = 1, before: Piece | None = None, repeated_bytes: int = 0) -> None:
        """Take lines without carriage returns at their ends, and the number of the first or the piece before."""
        self.data = data
        self.repeated_bytes = repeated_bytes
        """How many of its bytes the piece before had as well."""
        self._line, self._before = line, before

    @property
    def line(self) -> int:
        """The number of the first line, from 1."""
        if self._line is None and self._before:
            self._line = self._before.line + self._before.data.count(b"\n")
            self._before = None
        return self._line or 1

    @property
    def is_first(self) -> bool:
        """Whether it is the beginning of a log."""
        return self._line == 1 and not self.repeated_bytes


def pieces(
    blocks: Iterable[bytes], longest_line_bytes: int = _LONGEST_LINE_BYTES, least_bytes: int = _LEAST_BYTES
) -> Iterator[Piece]:
    """Yield pieces that end with a line, except the last one and those of a line that is too long.

    What blocks raise comes behind all that could be read.
    """
    errors: list[UnreadableError] = []
    left, repeated = b"", 0
    before: Piece | None = None
    number = 0
    for block in _gathered(blocks, least_bytes, errors):
        end = block.rfind(b"\n") + 1
        if end:
            whole = block if end == len(block) and not left else b"".join((left, memoryview(block)[:end]))
            before = Piece(_without_returns(whole), None if before else 1, before, repeated)
            left, repeated = block[end:], 0
        else:
            left += block
            if len(left) <= longest_line_bytes:
                continue
            before = Piece(left, None if before else 1, before, repeated)
            left = left[-min(_OVERLAP_BYTES, longest_line_bytes // 2) :]
            repeated = len(left)
        yield before
        number += 1
        if number % _UNCOUNTED_PIECES == 0:
            _ = before.line
    if len(left) > repeated:
        yield Piece(_without_returns(left), None if before else 1, before, repeated)
    if errors:
        raise errors[0]


def _gathered(blocks: Iterable[bytes], least_bytes: int, errors: list[UnreadableError]) -> Iterator[bytes]:
    """Yield blocks that are not too small, except the last one; errors: takes what ends them before their end."""
    few: list[bytes] = []
    size = 0
    try:
        for block in blocks:
            few.append(block)
            size += len(block)
            if size >= least_bytes:
                yield b"".join(few)
                few, size = [], 0
    except UnreadableError as error:
        errors.append(error)
    yield b"".join(few)


def _without_returns(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def without_escapes(line: bytes) -> bytes:
    """Return a line without its escape sequences."""
    return _ESCAPES.sub(b"", line) if b"\x1b" in line else line
