"""From when to when the logs of each node reach: what a node does not say tells something only where it could have."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainyard.diagnose.line_node import host_of, node_of
from trainyard.diagnose.line_time import time_of
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.log_kind import kind_of
from trainyard.diagnose.scanning.log_clock import decode_line
from trainyard.diagnose.scanning.pieces import Piece, without_escapes

_MOST = 20_000
# Some programs begin or end with lines that tell no time.
_LINES, _LINE_BYTES = 5, 1000


class LogReach(NamedTuple):
    """The times of the first and of the last line of logs."""

    first: dt.datetime
    last: dt.datetime


class NodeLogs:
    """Takes both ends of each log."""

    def __init__(self) -> None:
        """Begin with none."""
        self._reaches: dict[tuple[str | None, str], LogReach] = {}
        """By the kind of the logs and the node."""

    def take(self, file: LogFile, first: Piece, last: Piece, near: dt.datetime | None) -> None:
        """Take a log whose lines tell times, and which is of one node by its name or by its first line."""
        node = host_of(file.name)
        if node is None:
            own = (node_of(file.name, decode_line(line)) for line in _lines(first.data))
            node = next(filter(None, own), None)
        if node is None or len(self._reaches) >= _MOST:
            return
        begun = _first_time(map(decode_line, _lines(first.data)), near, file)
        ended = begun and _first_time(map(decode_line, _lines_from_the_end(last.data)), begun, file)
        if begun and ended:
            self._add(kind_of(file.name), node, LogReach(begun, ended))

    def add(self, other: NodeLogs) -> None:
        """Add what other readings have found."""
        for (kind, node), reach in other._reaches.items():
            self._add(kind, node, reach)

    def of_kinds(self, kinds: Iterable[str | None]) -> dict[str, LogReach]:
        """Return how far the logs of these kinds reach, all together, of each node that has any."""
        reaches: dict[str, LogReach] = {}
        wanted = frozenset(kinds)
        for (kind, node), reach in self._reaches.items():
            if kind in wanted:
                reaches[node] = _both(reaches[node], reach) if node in reaches else reach
        return reaches

    def nodes_with(self, kinds: Iterable[str]) -> set[str]:
        """Return the nodes that have a log of any of these kinds."""
        wanted = frozenset(kinds)
        return {node for kind, node in self._reaches if kind in wanted}

    def _add(self, kind: str | None, node: str, reach: LogReach) -> None:
        known = self._reaches.get((kind, node))
        self._reaches[kind, node] = _both(known, reach) if known else reach


def _both(one: LogReach, other: LogReach) -> LogReach:
    return LogReach(min(one.first, other.first), max(one.last, other.last))


def _first_time(lines: Iterable[str], near: dt.datetime | None, file: LogFile) -> dt.datetime | None:
    return next(filter(None, (time_of(line, near, file.written) for line in lines)), None)


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    for _ in range(_LINES):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield without_escapes(data[start : min(end, start + _LINE_BYTES)])
        start = end + 1


def _lines_from_the_end(data: bytes) -> Iterator[bytes]:
    end = len(data.rstrip(b"\n"))
    for _ in range(_LINES):
        start = data.rfind(b"\n", 0, end) + 1
        yield without_escapes(data[start : min(end, start + _LINE_BYTES)])
        end = max(start - 1, 0)
