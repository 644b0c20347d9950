"""What a scan has found: how often each signature on each node, with some of the lines. Its size is bounded."""

from __future__ import annotations

import datetime as dt
import math
from bisect import insort
from collections.abc import Iterable
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

    def add(self, signature: str, node: str | None, count: int, hits: Iterable[Hit], rank: bytes = b"") -> None:
        """Count lines, some of which are given, in the order of their log; the first and the last are among them.

        rank: the one that all of them are of, where they tell it; some of each rank are kept, as long as there is room
        to keep several lines of each.
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
        for hit in hits:
            entry.keep(hit if hit.node == node else hit._replace(node=node))

    def signature_hits(self, order: Iterable[str]) -> tuple[SignatureHits, ...]:
        """Return what was found, by the order of the signatures."""
        place = {signature: number for number, signature in enumerate(order)}
        entries = sorted(self._entries.items(), key=lambda item: place[item[0][0]])
        return tuple(
            SignatureHits(signature, node, entry.count, entry.first, entry.last, entry.hits())
            for (signature, node, _), entry in entries
        )


def _timeless_last(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time else math.inf


def _timeless_first(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time else -math.inf


class _Entry:
    def __init__(self, earliest: int, latest: int) -> None:
        self.count = 0
        self.first: dt.datetime | None = None
        self.last: dt.datetime | None = None
        self._most = (earliest, latest)
        self._earliest: list[Hit] = []
        self._latest: list[Hit] = []

    def keep(self, hit: Hit) -> None:
        """Take a line into account, and keep it where it is one of the earliest or latest."""
        if hit.time:
            self.first = min(self.first or hit.time, hit.time)
            self.last = max(self.last or hit.time, hit.time)
        earliest, latest = self._most
        # What has no time stands behind all that has one, and both sorts leave equal ones in the order of reading.
        insort(self._earliest, hit, key=_timeless_last)
        if len(self._earliest) > earliest:
            insort(self._latest, self._earliest.pop(), key=_timeless_first)
            del self._latest[: -latest or len(self._latest)]

    def hits(self) -> tuple[Hit, ...]:
        return (*self._earliest, *self._latest)
