"""Lines that were found in several readings, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.diagnosis import Diagnosis, FilteredLines, UnusualLine
from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.log_file import Unread
from trainyard.diagnose.node_logs import NodeLogs
from trainyard.diagnose.reasoning.root_causes import RootCauses, root_causes
from trainyard.diagnose.scanning.filtered_out import FilteredOut
from trainyard.diagnose.scanning.result import Scan
from trainyard.diagnose.stated_versions import StatedVersions

_MOST_NODES_LISTED = 1000


@dataclass
class CombinedScan:
    """What was found so far."""

    hits: list[Hit] = field(default_factory=list)
    counts: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    unread_count: int = 0
    files: int = 0
    size_bytes: int = 0
    left_out: list[FilteredOut] = field(default_factory=list)
    versions: StatedVersions = field(default_factory=StatedVersions)
    node_logs: NodeLogs = field(default_factory=NodeLogs)
    is_whole: bool = True
    """Whether all logs of a cluster were read, and to their ends."""
    logs_by_node: int = 0
    """Logs that were not read because they are of other nodes."""

    def add(self, scan: Scan) -> None:
        """Add what one reading found."""
        for signature_hits in scan.signature_hits:
            self.hits.extend(signature_hits.hits)
            self.counts[signature_hits.signature, signature_hits.node] += signature_hits.count
        self.left_out += [scan.left_out] if scan.left_out else []
        if scan.versions:
            self.versions.add(scan.versions)
        if scan.node_logs:
            self.node_logs.add(scan.node_logs)
        self.leave_out(*scan.unread, count=scan.unread_count)
        self.files += scan.files
        self.size_bytes += scan.size_bytes

    def leave_out(self, *unread: Unread, count: int | None = None) -> None:
        """Add what was not read."""
        self.unread.extend(unread)
        self.unread_count += len(unread) if count is None else count

    def causes(self, line_filter: LineFilter) -> RootCauses:
        """Return what all of it tells of. That a node does not tell of something counts only where all was read."""
        is_whole = self.is_whole and line_filter.is_everything
        return root_causes(self.hits, self.counts, node_logs=self.node_logs if is_whole else None)

    def diagnosis(
        self, source: str, line_filter: LineFilter, unusual: Callable[[], tuple[UnusualLine, ...]]
    ) -> Diagnosis:
        """Return the answer. Unusual lines are looked for where no cause is known, or the first is no root."""
        causes, harmless, repaired = self.causes(line_filter)
        is_deep = bool(causes) and causes[0].cause.kind == "root"
        return Diagnosis(
            source, causes, harmless, () if is_deep else unusual(), tuple(self.unread), self.files, self.size_bytes,
            self.unread_count, None if line_filter.is_everything else self._not_asked(line_filter), repaired,
            self.versions.versions(), self.versions.conflicts(),
        )  # fmt: skip

    def _not_asked(self, line_filter: LineFilter) -> FilteredLines:
        """Return what was found in all readings and not asked for."""
        nodes = tuple(dict.fromkeys(node for part in self.left_out for node in part.nodes))
        return FilteredLines(
            sum(part.by_period for part in self.left_out),
            min((part.oldest for part in self.left_out if part.oldest), default=None),
            max((part.newest for part in self.left_out if part.newest), default=None),
            sum(part.by_node for part in self.left_out),
            nodes[:_MOST_NODES_LISTED],
            line_filter.nodes,
            line_filter.since,
            line_filter.until,
            sum(part.logs_by_period for part in self.left_out),
            self.logs_by_node,
        )
