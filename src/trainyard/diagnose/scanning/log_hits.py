"""What signatures find in one log, piece by piece."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.line_node import BEFORE_SRUN_HOST, node_of, node_of_nccl
from trainyard.diagnose.scanning.broken_lines import unbroken, width_of
from trainyard.diagnose.scanning.filtered_out import FilteredOut
from trainyard.diagnose.scanning.json_events import JsonEvent, JsonEvents, is_json_events
from trainyard.diagnose.scanning.log_clock import LogClock, decode_line
from trainyard.diagnose.scanning.matched_line import matched_lines, unescaped
from trainyard.diagnose.scanning.patterns import MatchedLine, Patterns, compile_pattern
from trainyard.diagnose.scanning.pieces import Piece, without_escapes
from trainyard.diagnose.scanning.result import EARLIEST, LATEST, Tally
from trainyard.diagnose.scanning.success_lines import SuccessLines
from trainyard.diagnose.stated_versions import STATES_VERSION

# Evidence is read by people: a longer line is cut around what was found.
_TEXT_BYTES, _BEFORE_BYTES = 2000, 500
# What a program says directly behind a failure is in a line or two.
_BEHIND_BYTES = 240
# An event has a dozen lines.
_MOST_OF_EVENT = 1000
# What PyTorch writes of collectives: the ranks of a job share a log, and what one of them says can be what tells.
_RANK, _BEFORE_RANK = re.compile(rb"\[(?:PG [^\[\]]{1,200}? )?Rank ([0-9]{1,6})\]", re.IGNORECASE), b"ank "
_END_OF_RANK = rb"ank [0-9]{1,6}\]"
# All lines of a thread of NCCL begin with the same words, up to these.
_NCCL_END, _NCCL_BYTES = b"] ", 200
_MOST_BEGINNINGS = 2**16
_BEFORE_SRUN_HOST = BEFORE_SRUN_HOST.encode()
_IDS = itemgetter(4)
# Enough to see whether lines are broken.
_HEAD_BYTES = 2**14 + 1


def _ranks(data: bytes, lines: Sequence[MatchedLine]) -> Iterable[bytes]:
    """Return the ranks that lines of collectives name; nothing where they name none."""
    if not lines or not compile_pattern(_END_OF_RANK).search(data):
        return repeat(b"", len(lines))
    find = data.find
    return [_rank_of(data, line) if find(_BEFORE_RANK, line[1], line[2]) >= 0 else b"" for line in lines]


def _rank_of(data: bytes, line: MatchedLine) -> bytes:
    match = _RANK.search(data, line.start, min(line.end, line.start + _TEXT_BYTES))
    return match[1] if match else b""


class _Found(NamedTuple):
    """What a signature found in a piece, on one node and of one rank."""

    lines: int
    shown: list[MatchedLine]
    """The first and the last of its lines."""


_Groups = dict[tuple[str, str | None, bytes], _Found]


def _cut(text: bytes, at: int) -> bytes:
    """Return what can be shown of a line, around what was found in it."""
    return text if len(text) <= _TEXT_BYTES else text[max(0, at - _BEFORE_BYTES) :][:_TEXT_BYTES]


class Sorts(dict[tuple[str, ...], tuple[str, ...]]):
    """By the signatures that find a line, those that count; where one says it is harmless, no other does."""

    def __init__(self, applying: frozenset[str], harmless: frozenset[str]) -> None:
        """Take those that mean something in logs of a kind, and those of causes that are harmless."""
        super().__init__()
        self._applying, self._harmless = applying, harmless

    def __missing__(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return those that count, and keep them."""
        applying = tuple(id_ for id_ in ids if id_ in self._applying)
        self[ids] = counting = tuple(id_ for id_ in applying if id_ in self._harmless) or applying
        return counting


def _by_signature(
    groups: Mapping[tuple[tuple[str, ...], str | None, bytes], list[MatchedLine]], sorts: Sorts
) -> _Groups:
    """Return for each signature that counts what several of them have found together."""
    found: _Groups = {}
    for (ids, node, rank), lines in groups.items():
        for name in sorts[ids]:
            before = found.get((name, node, rank), _Found(0, []))
            shown = _shown(sorted((*before.shown, *_shown(lines))))
            found[name, node, rank] = _Found(before.lines + len(lines), shown)
    return found


def _shown(lines: list[MatchedLine]) -> list[MatchedLine]:
    return lines if len(lines) <= EARLIEST + LATEST else [*lines[:EARLIEST], *lines[-LATEST:]]


def _line_ends(groups: _Groups) -> dict[tuple[str, str | None], tuple[int, int]]:
    """Return where the first and the last line of each signature and node end."""
    ends: dict[tuple[str, str | None], tuple[int, int]] = {}
    for (name, node, _), (_, lines) in groups.items():
        first, last = ends.get((name, node), (lines[0].end, lines[-1].end))
        ends[name, node] = min(first, lines[0].end), max(last, lines[-1].end)
    return ends


class LineNodes:
    """Knows the nodes of the lines of one log."""

    def __init__(self, name: str) -> None:
        """Take the name of the log."""
        self._name = name
        self._by_beginning: dict[bytes, str | None] = {}

    def of_lines(self, data: bytes, lines: Sequence[MatchedLine]) -> list[str | None]:
        """Return the node of each of some lines; None where neither it nor the name of the log tells."""
        find, by_beginning = data.find, self._by_beginning.get
        is_of_srun = bool(lines) and _BEFORE_SRUN_HOST in data
        # This runs for every line of a log of warnings.
        nodes = [
            by_beginning(data[(start := line[1]) : find(_NCCL_END, start, start + _NCCL_BYTES) + len(_NCCL_END)])
            for line in lines
        ]
        if not is_of_srun and None not in nodes:
            return nodes
        return [
            self._of_line(data[line[1] : line[2]]) if is_of_srun or node is None else node
            for line, node in zip(lines, nodes, strict=True)
        ]

    def _of_line(self, line: bytes) -> str | None:
        beginning = line[: line.find(_NCCL_END, 0, _NCCL_BYTES) + len(_NCCL_END)]
        node = self._by_beginning.get(beginning)
        if node is None and beginning not in self._by_beginning:
            if len(self._by_beginning) >= _MOST_BEGINNINGS:
                self._by_beginning.clear()
            node = self._by_beginning[beginning] = node_of_nccl(beginning.decode("latin-1"))
        if node is None or _BEFORE_SRUN_HOST in line:
            return node_of(self._name, decode_line(without_escapes(line[:_TEXT_BYTES])))
        return node


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
        self._nodes = LineNodes(name)
        self.states_version = False
        """Whether a line of its first piece does."""
        self._last_number, self._of_last = 0, set[str]()
        """The last line in which something was found, and what: a long line comes in several pieces."""
        self._events: JsonEvents | None = None
        self._of_events: set[int] = set()
        """Lines that are part of events."""
        self._waiting: Piece | None = None
        self._width: int | None = None
        """At how many characters something has broken the lines."""

    def take(self, piece: Piece, tally: Tally) -> None:
        """Find lines in the next piece."""
        if piece.is_first:
            self._width = width_of(unescaped(piece.data[:_HEAD_BYTES]) or piece.data[:_HEAD_BYTES])
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
        groups: dict[tuple[tuple[str, ...], str | None, bytes], list[MatchedLine]] = defaultdict(list)
        data = piece.data
        lines = matched_lines(self._patterns, data, self._width)
        if piece.is_first:
            self.states_version = any(STATES_VERSION in line.ids for line in lines)
        nodes, ranks = self._nodes.of_lines(data, lines), _ranks(data, lines)
        is_asked = bool(self._of_events) or self._left_out is not None
        for line, of_line in zip(lines, zip(map(_IDS, lines), nodes, ranks, strict=True), strict=True):
            if is_asked or not line[0]:
                ids = self._new(line, piece)
                if ids and self._is_wanted(piece, line, of_line[1]):
                    groups[ids, *of_line[1:]].append(line)
            else:
                groups[of_line].append(line)
        if lines:
            self._keep_last(lines[-1], piece)
        found = _by_signature(groups, self._sorts)
        for (name, node, rank), (count, shown) in found.items():
            self._tell(tally, name, node, count=count, piece=piece, shown=shown, rank=rank)
        if self._success_lines:
            line_ends = _line_ends(found)
            datas = [data, *(unbroken(data, self._width) if self._width and line_ends else ())]
            for success, node, line in self._success_lines.behind(line_ends, piece, datas):
                self._tell(tally, success, node, count=1, piece=piece, shown=[line])
        self._clock.pass_by(data)

    def _is_wanted(self, piece: Piece, line: MatchedLine, node: str | None) -> bool:
        if self._left_out is None:
            return True
        return self._left_out.takes(self._name, self._clock.time_at(piece.data, line.start), node)

    def _tell(  # noqa: PLR0913  what was found, where, and by whom
        self,
        tally: Tally,
        name: str,
        node: str | None,
        *,
        count: int,
        piece: Piece,
        shown: Sequence[MatchedLine],
        rank: bytes = b"",
    ) -> None:
        times = [self._clock.time_at(piece.data, line.start) for line in shown]

        def hit(number: int) -> Hit:
            return self._hit(name, node, piece, shown[number], times[number])

        tally.add(name, node, count, times=times, hit=hit, rank=rank)

    def _hit(self, name: str, node: str | None, piece: Piece, line: MatchedLine, time: dt.datetime | None) -> Hit:
        text = line.unbroken or piece.data[line.start : line.end]
        text = _cut(text, line.at)
        behind = decode_line(piece.data[line.end + 1 : line.end + 1 + _BEHIND_BYTES])
        before = piece.data[max(0, line.start - 1 - _BEHIND_BYTES) : max(0, line.start - 1)].rpartition(b"\n")[2]
        number = piece.line + line.number
        return Hit(name, self._name, number, decode_line(text), time, node, behind, decode_line(before))

    def _event(self, event: JsonEvent, tally: Tally) -> None:
        # A signature may expect it as it stands in the file, or as it was meant.
        matched_ids = (*self._patterns.of_line(event.text.encode()), *self._patterns.of_line(event.raw))
        node = event.node or node_of(self._name, event.text)
        ids = self._sorts[tuple(dict.fromkeys(matched_ids))]
        if ids and self._left_out and not self._left_out.takes(self._name, event.time, node):
            ids = ()
        text = decode_line(_cut(event.raw, self._patterns.first_place(ids, event.raw))) if ids else ""
        for name in ids:
            hit = Hit(name, self._name, event.line, text, event.time, node)
            tally.add(name, node, 1, times=[event.time], hit=[hit].__getitem__)
        self._of_events.update(event.lines[:_MOST_OF_EVENT])

    def _new(self, line: MatchedLine, piece: Piece) -> tuple[str, ...]:
        """Return what counts of what finds a line, without events and what has found a part of it one piece before."""
        ids = self._sorts[line.ids]
        if not self._of_events and line.number:
            return ids
        number = piece.line + line.number
        if number in self._of_events:
            return ()
        return tuple(name for name in ids if name not in self._of_last) if number == self._last_number else ids

    def _keep_last(self, line: MatchedLine, piece: Piece) -> None:
        """Keep what has found the last line of a piece, which may go on in the next one."""
        number = piece.line + line.number
        if number in self._of_events:
            return
        if number != self._last_number:
            self._last_number, self._of_last = number, set()
        self._of_last.update(self._sorts[line.ids])
