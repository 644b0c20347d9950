"""When lines of one log were written: by themselves, or by the nearest line before them that says."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from trainyard.diagnose.line_time import time_in, time_of
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.scanning.patterns import compile_pattern
from trainyard.diagnose.scanning.pieces import without_escapes

# A traceback, or what a command has printed, is seldom longer.
_LINES_BACK = 100
_BYTES_BACK = 2**15
_HEAD_BYTES = 4096
# A log of which so many lines in a row tell no time has none.
_PATIENCE_LINES = 2000
# What every form of a time has.
_ANY_TIME = rb"[0-9][0-9]:[0-9][0-9]:[0-9][0-9]|[12][0-9]{9}"


def decode_line(line: bytes) -> str:
    """Return a line as text: UTF-8, and where it is none, what Western systems wrote before."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


class LogClock:
    """Knows the times of one log, as far as it was read."""

    def __init__(self, log: LogFile, near: dt.datetime | None = None) -> None:
        """Begin with what gives lines their year: a time of logs beside this one, or what is known of this one."""
        self._log, self._near = log, near
        self._latest: dt.datetime | None = None
        self._before = b""
        self._asked: dict[int, dt.datetime | None] = {}
        """The lines of this piece that were asked for, by where they begin."""
        self._timeless_lines = 0
        self._at_beginning: dt.datetime | None = None
        self._places: list[int] | None = None
        """Where something in this piece may be a time; None where that was not looked for."""

    @property
    def latest(self) -> dt.datetime | None:
        """The time that was read last."""
        return self._latest

    def time_at(self, data: bytes, start: int) -> dt.datetime | None:
        """Return the time of the line that begins at a place of a piece."""
        if start not in self._asked:
            if self._timeless_lines > _PATIENCE_LINES and not self._may_tell(data, start):
                return self._latest
            self._asked[start] = self._own(data, start) or self._of_one_before(data, start)
        return self._asked[start]

    @cached_property
    def _written(self) -> dt.datetime | None:
        """When the log was written, by its name or by whoever keeps it."""
        return time_in(reversed(self._log.name.split("/"))) or self._log.written

    def pass_by(self, data: bytes) -> None:
        """Remember the end of a piece, for lines behind it."""
        self._before = data if len(data) >= _BYTES_BACK else (self._before + data)[-_BYTES_BACK:]
        self._at_beginning = self._places = None
        self._asked.clear()

    def _may_tell(self, data: bytes, start: int) -> bool:
        """Return whether a line may tell a time itself; where it cannot, telling so is quick."""
        if self._places is None:
            # Digits may be of other scripts, or stand on both sides of a colour.
            is_plain = data.isascii() and b"\x1b" not in data
            self._places = [at.start() for at in compile_pattern(_ANY_TIME).finditer(data)] if is_plain else [len(data)]
        place = bisect_left(self._places, start)
        return place < len(self._places) and (
            self._places[place] == len(data) or data.find(b"\n", start, self._places[place]) < 0
        )

    def _of_one_before(self, data: bytes, start: int) -> dt.datetime | None:
        if self._timeless_lines > _PATIENCE_LINES:
            return self._latest
        for place in _starts_before(data, start):
            time = self._asked.get(place) or self._own(data, place)
            if time:
                return time
        return self._before_piece()

    def _before_piece(self) -> dt.datetime | None:
        """Return the time of the last line before this piece that tells one."""
        if not self._at_beginning:
            own_times = (self._own(self._before, start) for start in _starts_before(self._before, len(self._before)))
            self._at_beginning = next(filter(None, own_times), self._latest)
        return self._at_beginning

    def _own(self, data: bytes, start: int) -> dt.datetime | None:
        """Return the time that a line tells itself."""
        end = data.find(b"\n", start, start + _HEAD_BYTES)
        line = data[start : end if end >= 0 else start + _HEAD_BYTES]
        time = time_of(decode_line(without_escapes(line)), self._latest or self._near, self._written)
        self._latest = time or self._latest
        self._timeless_lines = 0 if time else self._timeless_lines + 1
        return time


def _starts_before(data: bytes, start: int) -> Iterator[int]:
    """Yield where the lines before a place begin, the nearest first."""
    lowest = max(0, start - _BYTES_BACK)
    for _ in range(_LINES_BACK):
        if start <= lowest:
            return
        start = data.rfind(b"\n", lowest, start - 1) + 1
        yield start
