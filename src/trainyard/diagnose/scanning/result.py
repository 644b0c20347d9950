"""What a scan has found: how often each signature on each node, with some of the lines. Its size is bounded."""

from __future__ import annotations

import datetime as dt
import math
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.log_file import Unread
from trainyard.diagnose.node_logs import NodeLogs
from trainyard.diagnose.scanning.filtered_out import FilteredOut
from trainyard.diagnose.stated_versions import StatedVersions

# Of one signature on one node: what a report can show, and what tells the order of things.
EARLIEST, LATEST = 4, 2
# Of all signatures and nodes together: 100 of both can each be the other's. Whatever comes then belongs to no node.
_MOST_ENTRIES = 20_000
# From here on only the earliest line of an entry is kept, so that all of them take some 40 MB.
_ENTRIES_IN_FULL = 4_000


class Progress(NamedTuple):
    """How far a scan is."""

    files: int
    size_bytes: int
    """Unpacked."""


@dataclass(frozen=True, slots=True)
class SignatureHits:
    """What one signature has found on one node, or of one of its ranks."""

    signature: str
    node: str | None
    count: int
    """Of lines, also of those that are not kept."""
    first_seen: dt.datetime | None
    last_seen: dt.datetime | None
    hits: tuple[Hit, ...]
    """Some of the lines: the earliest, then the latest."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What signatures have found in all logs of a source."""

    signature_hits: tuple[SignatureHits, ...]
    """In the order of the signatures, then in that in which nodes came up."""
    files: int
    size_bytes: int
    """Unpacked."""
    unread: tuple[Unread, ...]
    """The first of what could not be read."""
    unread_count: int
    left_out: FilteredOut | None = None
    """What was found and not asked for; None where everything was."""
    versions: StatedVersions | None = None
    """What logs state of versions; None where nobody looked."""
    node_logs: NodeLogs | None = None
    """How far the logs of nodes reach; None where nobody looked."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All lines that were kept."""
        return tuple(hit for signature_hits in self.signature_hits for hit in signature_hits.hits)


class Tally:
    """Counts hits."""

    def __init__(self, most_entries: int = _MOST_ENTRIES) -> None:
        """Begin with none."""
        self._entries: dict[tuple[str, str | None, bytes], _Entry] = {}
        self._most_entries = most_entries

    def add(  # noqa: PLR0913  what was found, and by whom
        self,
        signature: str,
        node: str | None,
        count: int,
        *,
        times: Sequence[dt.datetime | None],
        hit: Callable[[int], Hit],
        rank: bytes = b"",
    ) -> None:
        """Count lines, some of which can be had, in the order of their log; the first and the last are among them.

        times: those of the lines that can be had; hit: returns one of these by its number. rank: the one that all of
        them are of, where they tell it; some of each rank are kept, as long as there is room to keep several lines of
        each.
        """
        if rank and (signature, node, rank) not in self._entries and len(self._entries) >= _ENTRIES_IN_FULL:
            rank = b""
        if (signature, node, rank) not in self._entries and len(self._entries) >= self._most_entries:
            node, rank = None, b""
        entry = self._entries.get((signature, node, rank))
        if not entry:
            full = len(self._entries) < _ENTRIES_IN_FULL
            entry = self._entries[signature, node, rank] = _Entry(EARLIEST if full else 1, LATEST if full else 0)
        entry.count += count
        entry.keep(times, hit, node)

    def signature_hits(self, order: Iterable[str]) -> tuple[SignatureHits, ...]:
        """Return what was found, by the order of the signatures."""
        place = {signature: number for number, signature in enumerate(order)}
        entries = sorted(self._entries.items(), key=lambda item: place[item[0][0]])
        return tuple(
            SignatureHits(signature, node, entry.count, entry.first, entry.last, entry.hits())
            for (signature, node, _), entry in entries
        )


class _Dated(NamedTuple):
    """A line that may be kept."""

    seconds: float | None
    """Since 1970."""
    number: int
    """Of those that come together."""
    hit: Hit | None = None
    """None where it was not made yet."""


def _timeless_last(line: _Dated) -> float:
    return math.inf if line.seconds is None else line.seconds


def _timeless_first(line: _Dated) -> float:
    return -math.inf if line.seconds is None else line.seconds


class _Entry:
    def __init__(self, earliest: int, latest: int) -> None:
        self.count = 0
        self.first: dt.datetime | None = None
        self.last: dt.datetime | None = None
        self._most = (earliest, latest)
        self._earliest: list[_Dated] = []
        self._latest: list[_Dated] = []

    def keep(self, times: Sequence[dt.datetime | None], hit: Callable[[int], Hit], node: str | None) -> None:
        """Take lines into account, and keep those that are of the earliest or latest. hit: returns one by its number.

        Few lines of many are kept, so only these are made.
        """
        known = [time for time in times if time]
        if known:
            self.first = min(self.first or known[0], *known)
            self.last = max(self.last or known[0], *known)
        dated = [_Dated(time.timestamp() if time else None, number) for number, time in enumerate(times)]
        earliest, latest = self._most
        if len(self._earliest) == earliest and not any(map(self._is_earlier, dated)):
            self._latest = sorted((*self._latest, *dated), key=_timeless_first)[-latest:] if latest else []
        else:
            for line in dated:
                self._sort_in(line)
        for lines in (self._earliest, self._latest):
            lines[:] = [line if line.hit else line._replace(hit=_of_node(hit(line.number), node)) for line in lines]

    def _sort_in(self, line: _Dated) -> None:
        """Put a line where it belongs, and leave out what is too much by it."""
        earliest, latest = self._most
        # What has no time stands behind all that has one, and both sorts leave equal ones in the order of reading.
        if len(self._earliest) < earliest or self._is_earlier(line):
            insort(self._earliest, line, key=_timeless_last)
            if len(self._earliest) <= earliest:
                return
            line = self._earliest.pop()
        insort(self._latest, line, key=_timeless_first)
        del self._latest[: -latest or len(self._latest)]

    def _is_earlier(self, line: _Dated) -> bool:
        """Return whether a line is earlier than the last of the earliest."""
        edge = self._earliest[-1].seconds
        return line.seconds is not None and (edge is None or line.seconds < edge)

    def hits(self) -> tuple[Hit, ...]:
        return tuple(line.hit for line in (*self._earliest, *self._latest) if line.hit)


def _of_node(hit: Hit, node: str | None) -> Hit:
    return hit if hit.node == node else hit._replace(node=node)
