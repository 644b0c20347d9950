"""Lines that were found in several readings, put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainyard.diagnose.reasoning.found_causes import found_causes
from trainyard.diagnose.wanted import EVERYTHING, Wanted

if TYPE_CHECKING:
    from trainyard.diagnose.hit import Hit
    from trainyard.diagnose.log_file import Unread
    from trainyard.diagnose.reasoning.found_causes import Found
    from trainyard.diagnose.scanning import Scan


@dataclass
class Collected:
    """What was found so far."""

    hits: list[Hit] = field(default_factory=list)
    counts: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    unread_count: int = 0
    files: int = 0
    size_bytes: int = 0

    def add(self, scan: Scan, wanted: Wanted = EVERYTHING) -> None:
        """Add what one reading found, as far as it is wanted.

        Of many lines of a signature and node only the first and the last were kept: so many of the others count as of
        those.
        """
        for seen in scan.seen:
            hits = [hit for hit in seen.hits if wanted(hit)]
            self.hits.extend(hits)
            self.counts[seen.signature, seen.node] += round(seen.count * len(hits) / max(1, len(seen.hits)))
        self.leave_out(*scan.unread, count=scan.unread_count)
        self.files += scan.files
        self.size_bytes += scan.size_bytes

    def leave_out(self, *unread: Unread, count: int | None = None) -> None:
        """Add what was not read."""
        self.unread.extend(unread)
        self.unread_count += len(unread) if count is None else count

    def found(self) -> Found:
        """Return what all of it tells of."""
        return found_causes(self.hits, self.counts)
