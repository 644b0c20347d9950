"""Lines that were found in several readings, put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trainyard.diagnose.hit import Hit
from trainyard.diagnose.log_file import Unread
from trainyard.diagnose.reasoning.root_causes import Found, found_causes
from trainyard.diagnose.scanning.filtered_out import LeftOut
from trainyard.diagnose.scanning.result import Scan


@dataclass
class Collected:
    """What was found so far."""

    hits: list[Hit] = field(default_factory=list)
    counts: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    unread_count: int = 0
    files: int = 0
    size_bytes: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    logs_by_node: int = 0
    """Logs that were not read because they are of other nodes."""

    def add(self, scan: Scan) -> None:
        """Add what one reading found."""
        for seen in scan.seen:
            self.hits.extend(seen.hits)
            self.counts[seen.signature, seen.node] += seen.count
        self.left_out += [scan.left_out] if scan.left_out else []
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
