"""Which lines are asked for, and what a scan left out because it was not, so that nobody takes that for good news."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field

from trainyard.diagnose.line_filter import EVERYTHING, LineFilter, short
from trainyard.diagnose.line_node import host_of, node_of
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.scanning.json_events import is_json_events
from trainyard.diagnose.scanning.log_clock import LogClock, decode_line
from trainyard.diagnose.scanning.pieces import Piece, without_escapes

# Of the names of nodes, which anybody may have written.
_MOST_NODES = 10_000
_LINE_BYTES = 2000
# What programs write before their first line that tells a time, such as a command or a heading.
_MOST_HEADING_LINES = 50


@dataclass
class FilteredOut:
    """Lines that signatures found and that are not asked for, and nodes that logs name."""

    line_filter: LineFilter = EVERYTHING
    by_period: int = 0
    """Lines of another time."""
    oldest: dt.datetime | None = None
    newest: dt.datetime | None = None
    by_node: int = 0
    """Lines of the period, and of another node."""
    nodes: dict[str, None] = field(default_factory=dict)
    """Those that were seen, in the order of reading."""
    unknown: set[str] = field(default_factory=set)
    """Of the nodes that are asked for, those that no log names anywhere."""
    logs_by_period: int = 0
    """Logs that hold no line of the period."""
    _asked: LineSelection | None = None
    """Of the log that is being read; None where lines of it may be of the period."""

    def __post_init__(self) -> None:
        """Know no node yet."""
        self.unknown = set(self.line_filter.nodes)

    def takes(self, file: str, time: dt.datetime | None, node: str | None) -> bool:
        """Return whether a line is asked for, and count it where it is not."""
        self._saw(node)
        if not self.line_filter.is_of_period(time):
            self.by_period += 1
            if time is not None:
                self.oldest, self.newest = min(self.oldest or time, time), max(self.newest or time, time)
            return False
        if not self.line_filter.is_of_nodes(file, node):
            self.by_node += 1
            return False
        return True

    def begin(self, log: LogFile, near: dt.datetime | None) -> None:
        """Begin with a log. near: a time of logs beside it."""
        self._asked = (
            LineSelection(log, self.line_filter, near) if self.line_filter.since or self.line_filter.until else None
        )

    def end(self) -> None:
        """End with a log."""
        self.logs_by_period += self._asked is not None
        self._asked = None

    def look(self, file: str, piece: Piece) -> None:
        """Look at some lines of a log for the nodes and the time that are asked for: what is healthy is not found."""
        if self._asked:
            if self._asked.may_be_in(piece):
                self._asked = None
            else:
                self._asked.pass_by(piece)
        if self.line_filter.nodes:
            self._look_for_nodes(file, piece)

    def _look_for_nodes(self, file: str, piece: Piece) -> None:
        end = piece.data.find(b"\n")
        first = piece.data[: end if 0 <= end < _LINE_BYTES else _LINE_BYTES]
        self._saw(host_of(file) or node_of(file, decode_line(without_escapes(first))))
        for node in tuple(self.unknown):
            name = re.escape(short(node).encode())
            named = re.compile(rb"(?<![A-Za-z0-9-])" + name + rb"(?![A-Za-z0-9-])", re.IGNORECASE)
            if named.search(piece.data) or named.search(file.encode("utf-8", "replace")):
                self.unknown.discard(node)

    def _saw(self, node: str | None) -> None:
        if node is not None and len(self.nodes) < _MOST_NODES:
            self.nodes.setdefault(node)


class LineSelection:
    """Tells of the lines of one log whether they are asked for, piece by piece."""

    def __init__(self, log: LogFile, line_filter: LineFilter, near: dt.datetime | None = None) -> None:
        """Begin before the first piece. near: a time of logs beside this one, which gives lines their year."""
        self._name, self._wanted, self._clock = log.name, line_filter, LogClock(log, near)

    @property
    def latest(self) -> dt.datetime | None:
        """The time that was read last."""
        return self._clock.latest

    def have(self, piece: Piece, start: int, end: int) -> bool:
        """Return whether the line at a place of a piece is asked for."""
        if not self._wanted.is_of_period(self._clock.time_at(piece.data, start)):
            return False
        text = decode_line(without_escapes(piece.data[start:end][:_LINE_BYTES]))
        return self._wanted.is_of_nodes(self._name, node_of(self._name, text))

    def may_be_in(self, piece: Piece) -> bool:
        """Return whether lines of a piece may be of the period, by the times of the first and the last of them."""
        if piece.is_first and is_json_events(piece.data):  # which come in any order, and on one line
            return True
        first, last = self._first_time(piece.data), self._time_of_last(piece.data)
        if first is None or last is None:
            return True
        since, until = self._wanted.since, self._wanted.until
        return (since is None or max(first, last) >= since) and (until is None or min(first, last) < until)

    def pass_by(self, piece: Piece) -> None:
        """Remember the end of a piece, for lines behind it."""
        self._clock.pass_by(piece.data)

    def _first_time(self, data: bytes) -> dt.datetime | None:
        start = 0
        for _ in range(_MOST_HEADING_LINES):
            if time := self._clock.time_at(data, start):
                return time
            start = data.find(b"\n", start) + 1
            if not 0 < start < len(data):
                return None
        return None

    def _time_of_last(self, data: bytes) -> dt.datetime | None:
        return self._clock.time_at(data, data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1)
