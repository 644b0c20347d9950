"""Lines in which something is found: as they are, without what JSON, HTML and colours made of them, and unbroken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.diagnose.scanning.broken_lines import joined_lines
from trainyard.diagnose.scanning.patterns import Patterns
from trainyard.diagnose.scanning.pieces import Piece, without_escapes

_ESCAPES = ((b'\\"', b'"'), (b"\\n", b" "), (b"\\t", b" "), (b"\\u0027", b"'"), (b"\\u003c", b"<"), (b"\\u003e", b">"))
# What a page of HTML has in place of characters; the last one is replaced last, as it begins all of them.
_ENTITIES = (
    (b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b"'"), (b"&#x27;", b"'"), (b"&apos;", b"'"), (b"&lt;", b"<"),
    (b"&gt;", b">"), (b"&nbsp;", b" "), (b"&amp;", b"&"),
)  # fmt: skip
_QUOTATION = re.compile(rb"^(?:> ?)+", re.MULTILINE)
_ENTITY = re.compile(rb"&(?:quot|apos|amp|lt|gt|nbsp|#3[49]|#x27);")


# Of two lines, the longer one may be full by chance; of three, hardly two.
_FEW_PARTS = 2


class MatchedLine(NamedTuple):
    """A line, and what finds it."""

    number: int
    start: int
    """Where it begins in its piece."""
    end: int
    at: int
    """Where in it, or near, the first pattern found something."""
    ids: tuple[str, ...]
    unbroken: bytes | None = None
    """What it was before it was broken into several."""


def matched_lines(patterns: Patterns, piece: Piece, width: int | None = None) -> list[MatchedLine]:
    """Return the lines that a pattern finds, as they are or without the backslashes of JSON, in their order.

    width: at how many characters something has broken them; what is found only in several together is one line.
    """
    lines = list(_as_they_are(patterns, piece))
    plain = unescaped(piece.data)
    if plain is None and not width:
        return lines
    by_number = {line.number: line for line in lines}
    if plain is not None:
        _add_unescaped(by_number, patterns, piece, plain)
    if width:
        _join(by_number, patterns, piece, piece.data if plain is None else plain, width)
    return sorted(by_number.values())


def _add_unescaped(by_number: dict[int, MatchedLine], patterns: Patterns, piece: Piece, plain: bytes) -> None:
    starts = _Starts(piece)
    for line in _as_they_are(patterns, Piece(plain, piece.line)):
        start, end = starts.of(line.number)
        before = by_number.get(line.number)
        ids = tuple(dict.fromkeys((*(before.ids if before else ()), *line.ids)))
        at = before.at if before else min(line.at, end - start)
        by_number[line.number] = MatchedLine(line.number, start, end, at, ids)


def _join(by_number: dict[int, MatchedLine], patterns: Patterns, piece: Piece, plain: bytes, width: int) -> None:
    """Put one line in place of its parts, unless two of them tell the same, as lines of their own do."""
    texts = [(line, text) for line in joined_lines(plain, width) for text in line.texts]
    starts = _Starts(piece)
    for match in _as_they_are(patterns, Piece(b"\n".join(text for _, text in texts))):
        line, text = texts[match.number - 1]
        numbers = range(piece.line + line.first, piece.line + line.first + line.lines)
        parts = [by_number[number] for number in numbers if number in by_number]
        alone = [id_ for part in parts for id_ in part.ids]
        is_sure = line.lines > _FEW_PARTS and len(set(alone)) == len(alone)
        is_settled = not is_sure or any(part.unbroken for part in parts)
        if is_settled and set(match.ids) <= set(alone):
            continue
        start, end = starts.of(numbers[0])[0], starts.of(numbers[-1])[1]
        for part in parts:
            del by_number[part.number]
        number = parts[0].number if parts else numbers[0]
        ids = tuple(dict.fromkeys((*match.ids, *alone)))
        by_number[number] = MatchedLine(number, start, end, match.at, ids, text)


def _as_they_are(patterns: Patterns, piece: Piece) -> Iterator[MatchedLine]:
    first = 0
    for number, start, end, at, ids in patterns.lines(piece.data):
        first = first or piece.line
        yield MatchedLine(first + number, start, end, at, ids)


class _Starts:
    """Where the lines of a piece begin, quickly for numbers that grow."""

    def __init__(self, piece: Piece) -> None:
        self._data, self._piece_line = piece.data, piece.line
        self._number, self._start = piece.line, 0

    def of(self, number: int) -> tuple[int, int]:
        if number < self._number:
            self._number, self._start = self._piece_line, 0
        while self._number < number:
            self._start = self._data.find(b"\n", self._start) + 1
            self._number += 1
        end = self._data.find(b"\n", self._start)
        return self._start, len(self._data) if end < 0 else end


def unescaped(data: bytes) -> bytes | None:
    """Return lines without colours, quotations of e-mails, entities of HTML and backslashes of JSON; None without any.

    Lines stay as many as they are.
    """
    plain = without_escapes(data)
    if b"\n> " in plain or plain.startswith(b"> "):
        plain = _QUOTATION.sub(b"", plain)
    # One byte is found far faster than two.
    if _ENTITY.search(plain):
        for entity, character in _ENTITIES:
            plain = plain.replace(entity, character)
    if b"\\" in plain and (b'\\"' in plain or b"\\n" in plain):
        plain = _without_backslashes(plain)
    return None if plain == data else plain


def _without_backslashes(data: bytes) -> bytes:
    """Return lines as they were before JSON.

    What is quoted twice loses one backslash less than it has, and is found as well: two backslashes before a quote
    become one, which goes with the second turn.
    """
    for _ in range(2):
        data = data.replace(b'\\\\"', b'\\"')
        for escape, plain in _ESCAPES:
            data = data.replace(escape, plain)
    return data
