"""Lines in which something is found: as they are, without what JSON, HTML and colours made of them, and unbroken."""

from __future__ import annotations

import re

from trainyard.diagnose.scanning.broken_lines import joined_lines
from trainyard.diagnose.scanning.patterns import MatchedLine, Patterns, compile_pattern
from trainyard.diagnose.scanning.pieces import without_escapes

_ESCAPES = ((b'\\"', b'"'), (b"\\n", b" "), (b"\\t", b" "), (b"\\u0027", b"'"), (b"\\u003c", b"<"), (b"\\u003e", b">"))
# What a page of HTML has in place of characters; the last one is replaced last, as it begins all of them.
_ENTITIES = (
    (b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b"'"), (b"&#x27;", b"'"), (b"&apos;", b"'"), (b"&lt;", b"<"),
    (b"&gt;", b">"), (b"&nbsp;", b" "), (b"&amp;", b"&"),
)  # fmt: skip
_QUOTATION = re.compile(rb"^(?:> ?)+", re.MULTILINE)
_QUOTED = re.compile(rb"\n> ")
_ENTITY = rb"&(?:quot|apos|amp|lt|gt|nbsp|#3[49]|#x27);"


# Of two lines, the longer one may be full by chance; of three, hardly two.
_FEW_PARTS = 2


def matched_lines(patterns: Patterns, data: bytes, width: int | None = None) -> list[MatchedLine]:
    """Return the lines that a pattern finds, as they are or without the backslashes of JSON, in their order.

    width: at how many characters something has broken them; what is found only in several together is one line.
    """
    lines = patterns.lines(data)
    plain = unescaped(data)
    if plain is None and not width:
        return lines
    by_number = {line.number: line for line in lines}
    if plain is not None:
        _add_unescaped(by_number, patterns, data, plain)
    if width:
        _join(by_number, patterns, data, data if plain is None else plain, width)
    return sorted(by_number.values())


def _add_unescaped(by_number: dict[int, MatchedLine], patterns: Patterns, data: bytes, plain: bytes) -> None:
    starts = _Starts(data)
    for line in patterns.lines(plain):
        start, end = starts.of(line.number)
        before = by_number.get(line.number)
        ids = tuple(dict.fromkeys((*(before.ids if before else ()), *line.ids)))
        at = before.at if before else min(line.at, end - start)
        by_number[line.number] = MatchedLine(line.number, start, end, at, ids)


def _join(by_number: dict[int, MatchedLine], patterns: Patterns, data: bytes, plain: bytes, width: int) -> None:
    """Put one line in place of its parts, unless two of them tell the same, as lines of their own do."""
    texts = [(line, text) for line in joined_lines(plain, width) for text in line.texts]
    starts = _Starts(data)
    for match in patterns.lines(b"\n".join(text for _, text in texts)):
        line, text = texts[match.number]
        numbers = range(line.first, line.first + line.lines)
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


class _Starts:
    """Where lines begin, quickly for numbers that grow."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._number = self._start = 0

    def of(self, number: int) -> tuple[int, int]:
        if number < self._number:
            self._number = self._start = 0
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
    # One byte is found far faster than two.
    if b">" in plain and (_QUOTED.search(plain) or plain.startswith(b"> ")):
        plain = _QUOTATION.sub(b"", plain)
    if b"&" in plain and compile_pattern(_ENTITY).search(plain):
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
