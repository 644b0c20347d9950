"""Which lines of one log are asked for, by their times and nodes, and whether any of it can be."""

from __future__ import annotations

import datetime as dt

from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.line_node import node_of
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.scanning.escapes import without_escapes
from trainyard.diagnose.scanning.json_events import is_json_events
from trainyard.diagnose.scanning.log_clock import LogClock, decoded
from trainyard.diagnose.scanning.pieces import Piece

_LINE_BYTES = 2000
# What programs write before their first line that tells a time, such as a command or a heading.
_MOST_HEADING_LINES = 50


class AskedLines:
    """Tells of the lines of one log whether they are asked for, piece by piece."""

    def __init__(self, log: LogFile, wanted: LineFilter, near: dt.datetime | None = None) -> None:
        """Begin before the first piece. near: a time of logs beside this one, which gives lines their year."""
        self._name, self._wanted, self._clock = log.name, wanted, LogClock(log, near)

    @property
    def latest(self) -> dt.datetime | None:
        """The time that was read last."""
        return self._clock.latest

    def have(self, piece: Piece, start: int, end: int) -> bool:
        """Return whether the line at a place of a piece is asked for."""
        if not self._wanted.is_of_period(self._clock.time_at(piece.data, start)):
            return False
        text = decoded(without_escapes(piece.data[start:end][:_LINE_BYTES]))
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
