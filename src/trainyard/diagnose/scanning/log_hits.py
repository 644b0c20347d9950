"""What signatures find in one log, piece by piece."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.line_node import node_of
from trainyard.diagnose.scanning.filtered_out import FilteredOut
from trainyard.diagnose.scanning.json_events import JsonEvent, JsonEvents, is_json_events
from trainyard.diagnose.scanning.log_clock import LogClock, decode_line
from trainyard.diagnose.scanning.matched_line import MatchedLine
from trainyard.diagnose.scanning.patterns import Patterns
from trainyard.diagnose.scanning.pieces import Piece, without_escapes
from trainyard.diagnose.scanning.result import EARLIEST, LATEST, Tally
from trainyard.diagnose.scanning.success_lines import SuccessLines

# Evidence is read by people: a longer line is cut around what was found.
_TEXT_BYTES, _BEFORE_BYTES = 2000, 500
# What a program says directly behind a failure is in a line or two.
_BEHIND_BYTES = 240
# An event has a dozen lines.
_MOST_OF_EVENT = 1000
_ESCAPES = ((b'\\"', b'"'), (b"\\n", b" "), (b"\\t", b" "), (b"\\u0027", b"'"), (b"\\u003c", b"<"), (b"\\u003e", b">"))
# What a page of HTML has in place of characters; the last one is replaced last, as it begins all of them.
_ENTITIES = (
    (b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b"'"), (b"&#x27;", b"'"), (b"&apos;", b"'"), (b"&lt;", b"<"),
    (b"&gt;", b">"), (b"&nbsp;", b" "), (b"&amp;", b"&"),
)  # fmt: skip
_ENTITY = re.compile(rb"&(?:quot|apos|amp|lt|gt|nbsp|#3[49]|#x27);")


class Sorts(NamedTuple):
    """Signatures by what they mean in logs of a kind."""

    applying: frozenset[str]
    """Those that mean something there."""
    harmless: frozenset[str]
    """Those of causes that are harmless."""

    def counting(self, ids: Iterable[str]) -> list[str]:
        """Return those that count of the signatures that find a line; where one says it is harmless, no other does."""
        applying = [id_ for id_ in ids if id_ in self.applying]
        return [signature_id for signature_id in applying if signature_id in self.harmless] or applying


class LogHits:
    """Takes the pieces of one log in their order, and tells a tally what is found."""

    def __init__(  # noqa: PLR0913  what a log is, and what it is read with
        self,
        name: str,
        clock: LogClock,
        patterns: Patterns,
        sorts: Sorts,
        left_out: FilteredOut | None = None,
        *,
        success_lines: SuccessLines | None = None,
    ) -> None:
        """Take the name of the log, and what signatures mean in logs of its kind.

        left_out: decides which lines count; without it all do. success_lines: what ends failures of this log.
        """
        self._name, self._clock, self._patterns, self._sorts = name, clock, patterns, sorts
        self._left_out = left_out
        self._success_lines = success_lines
        self._last_line: dict[str, int] = {}
        """Where each signature found something last: a long line comes in several pieces."""
        self._events: JsonEvents | None = None
        self._of_events: set[int] = set()
        """Lines that are part of events."""
        self._waiting: Piece | None = None

    def take(self, piece: Piece, tally: Tally) -> None:
        """Find lines in the next piece."""
        if piece.is_first and is_json_events(piece.data):
            self._events = JsonEvents()
        if not self._events:
            self._lines(piece, tally)
            return
        for event in self._events.take(piece.data[piece.repeated_bytes :], piece.line):
            self._event(event, tally)
        # Its last lines can be part of an event that ends in the next piece.
        self.finish(tally)
        self._waiting = piece

    def finish(self, tally: Tally) -> None:
        """Find lines in what was kept back."""
        if self._waiting:
            self._lines(self._waiting, tally)
            self._of_events = {of_event for of_event in self._of_events if of_event > self._waiting.line}
            self._waiting = None

    def _lines(self, piece: Piece, tally: Tally) -> None:
        """Count all, and make hits of those only that may be kept: a line can come a million times."""
        groups: dict[tuple[str, str | None], list[MatchedLine]] = defaultdict(list)
        for line in matched_lines(self._patterns, piece):
            if ids := list(self._new(line.ids, line.number)):
                node = node_of(
                    self._name, decode_line(without_escapes(piece.data[line.start : line.end][:_TEXT_BYTES]))
                )
                if self._left_out and not self._is_wanted(self._left_out, piece, line, node):
                    continue
                for name in ids:
                    groups[name, node].append(line)
        for (name, node), lines in groups.items():
            shown_lines = lines if len(lines) <= EARLIEST + LATEST else [*lines[:EARLIEST], *lines[-LATEST:]]
            tally.add(name, node, len(lines), [self._hit(name, node, piece, line) for line in shown_lines])
        if self._success_lines:
            line_ends = {key: (lines[0].end, lines[-1].end) for key, lines in groups.items()}
            for success, node, line in self._success_lines.behind(line_ends, piece):
                tally.add(success, node, 1, [self._hit(success, node, piece, line)])
        self._clock.pass_by(piece.data)

    def _is_wanted(self, left_out: FilteredOut, piece: Piece, line: MatchedLine, node: str | None) -> bool:
        return left_out.takes(self._name, self._clock.time_at(piece.data, line.start), node)

    def _hit(self, name: str, node: str | None, piece: Piece, line: MatchedLine) -> Hit:
        text = piece.data[line.start : line.end]
        if len(text) > _TEXT_BYTES:
            text = text[max(0, line.at - _BEFORE_BYTES) :][:_TEXT_BYTES]
        behind = decode_line(piece.data[line.end + 1 : line.end + 1 + _BEHIND_BYTES])
        time = self._clock.time_at(piece.data, line.start)
        return Hit(name, self._name, line.number, decode_line(text), time, node, behind)

    def _event(self, event: JsonEvent, tally: Tally) -> None:
        # A signature may expect it as it stands in the file, or as it was meant.
        matched_ids = (*self._patterns.of_line(event.text.encode()), *self._patterns.of_line(event.raw))
        node = event.node or node_of(self._name, event.text)
        text = decode_line(event.raw[:_TEXT_BYTES])
        ids = self._sorts.counting(dict.fromkeys(matched_ids))
        if ids and self._left_out and not self._left_out.takes(self._name, event.time, node):
            ids = []
        for name in ids:
            tally.add(name, node, 1, [Hit(name, self._name, event.line, text, event.time, node)])
        self._of_events.update(event.lines[:_MOST_OF_EVENT])

    def _new(self, ids: Iterable[str], number: int) -> Iterator[str]:
        if number in self._of_events:
            return
        for name in self._sorts.counting(ids):
            if self._last_line.get(name, 0) != number:
                self._last_line[name] = number
                yield name


def matched_lines(patterns: Patterns, piece: Piece) -> list[MatchedLine]:
    """Return the lines that a pattern finds, as they are or without the backslashes of JSON, in their order."""
    by_number = {line.number: line for line in _as_they_are(patterns, piece)}
    plain = _unescaped(piece.data)
    if plain is None:
        return list(by_number.values())
    starts = _Starts(piece)
    for line in _as_they_are(patterns, Piece(plain, piece.line)):
        start, end = starts.of(line.number)
        before = by_number.get(line.number)
        ids = tuple(dict.fromkeys((*(before.ids if before else ()), *line.ids)))
        at = before.at if before else min(line.at, end - start)
        by_number[line.number] = MatchedLine(line.number, start, end, at, ids)
    return sorted(by_number.values())


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
    """Return lines without colours, entities of HTML and what JSON puts in place of characters; None where none is.

    Lines stay as many as they are.
    """
    plain = without_escapes(data)
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
