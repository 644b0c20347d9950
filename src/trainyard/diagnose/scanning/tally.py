"""How often each signature found something on each node, with some of the lines. Its size is bounded."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from trainyard.diagnose.hit import Hit
from trainyard.diagnose.scanning.result import Seen

# Of one signature on one node: what a report can show, and what tells the order of things.
EARLIEST, LATEST = 4, 2
# Of all signatures and nodes together: 100 of both can each be the other's. Whatever comes then belongs to no node.
MOST_ENTRIES = 20_000
# From here on only the earliest line of an entry is kept, so that all of them take some 40 MB.
_ENTRIES_IN_FULL = 4_000


class Tally:
    """Counts hits."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        """Begin with none."""
        self._entries: dict[tuple[str, str | None], _Entry] = {}
        self._most_entries = most_entries

    def add(self, signature: str, node: str | None, count: int, hits: Iterable[Hit]) -> None:
        """Count lines, some of which are given, in the order of their log; the first and the last are among them."""
        if (signature, node) not in self._entries and len(self._entries) >= self._most_entries:
            node = None
        entry = self._entries.get((signature, node))
        if not entry:
            full = len(self._entries) < _ENTRIES_IN_FULL
            entry = self._entries[signature, node] = _Entry(EARLIEST if full else 1, LATEST if full else 0)
        entry.count += count
        for hit in hits:
            entry.keep(hit if hit.node == node else hit._replace(node=node))

    def seen(self, order: Iterable[str]) -> tuple[Seen, ...]:
        """Return what was found, by the order of the signatures."""
        place = {signature: number for number, signature in enumerate(order)}
        entries = sorted(self._entries.items(), key=lambda one: place[one[0][0]])
        return tuple(
            Seen(signature, node, entry.count, entry.first, entry.last, entry.hits())
            for (signature, node), entry in entries
        )


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
        self._earliest.append(hit)
        self._earliest.sort(key=lambda one: (one.time is None, one.time.timestamp() if one.time else 0))
        if len(self._earliest) > earliest:
            self._latest.append(self._earliest.pop())
            self._latest.sort(key=lambda one: (one.time is not None, one.time.timestamp() if one.time else 0))
            del self._latest[: -latest or len(self._latest)]

    def hits(self) -> tuple[Hit, ...]:
        return (*self._earliest, *self._latest)
