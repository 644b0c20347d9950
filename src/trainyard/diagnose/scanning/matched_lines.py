"""The lines of a piece of a log that signatures find, each with the ids of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.diagnose.scanning.patterns import Patterns
from trainyard.diagnose.scanning.pieces import Piece

_ESCAPES = ((b'\\"', b'"'), (b"\\n", b" "), (b"\\t", b" "), (b"\\u0027", b"'"), (b"\\u003c", b"<"), (b"\\u003e", b">"))


class MatchedLine(NamedTuple):
    """A line, and what finds it."""

    number: int
    start: int
    """Where it begins in its piece."""
    end: int
    at: int
    """Where in it, or near, the first pattern found something."""
    ids: tuple[str, ...]


def matched_lines(patterns: Patterns, piece: Piece) -> list[MatchedLine]:
    """Return the lines that a pattern finds, as they are or without the backslashes of JSON, in their order."""
    found = {line.number: line for line in _as_they_are(patterns, piece)}
    plain = _unescaped(piece.data)
    if plain is None:
        return list(found.values())
    starts = _Starts(piece)
    for line in _as_they_are(patterns, Piece(plain, piece.line)):
        start, end = starts.of(line.number)
        before = found.get(line.number)
        ids = tuple(dict.fromkeys((*(before.ids if before else ()), *line.ids)))
        at = before.at if before else min(line.at, end - start)
        found[line.number] = MatchedLine(line.number, start, end, at, ids)
    return sorted(found.values())


def _as_they_are(patterns: Patterns, piece: Piece) -> Iterator[MatchedLine]:
    counted, number = 0, 0
    for start, end, at in patterns.lines(piece.data):
        number = (number or piece.line) + piece.data.count(b"\n", counted, start)
        counted = start
        if ids := patterns.of_line(piece.data[start:end]):
            yield MatchedLine(number, start, end, at, ids)


class _Starts:
    """Where the lines of a piece begin, for numbers that grow."""

    def __init__(self, piece: Piece) -> None:
        self._data, self._number, self._start = piece.data, piece.line, 0

    def of(self, number: int) -> tuple[int, int]:
        while self._number < number:
            self._start = self._data.find(b"\n", self._start) + 1
            self._number += 1
        end = self._data.find(b"\n", self._start)
        return self._start, len(self._data) if end < 0 else end


def _unescaped(data: bytes) -> bytes | None:
    """Return lines without what JSON puts before quotes and in place of some characters; None where there is none.

    Lines stay as many as they are. What is quoted twice loses one backslash less than it has, and is found as well:
    two backslashes before a quote become one, which goes with the second turn.
    """
    # One byte is found far faster than two.
    if b"\\" not in data or (b'\\"' not in data and b"\\n" not in data):
        return None
    for _ in range(2):
        data = data.replace(b'\\\\"', b'\\"')
        for escape, plain in _ESCAPES:
            data = data.replace(escape, plain)
    return data
