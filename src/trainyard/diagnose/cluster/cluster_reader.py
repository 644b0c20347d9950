"""Reads the logs of a cluster step by step, and stops where the root cause is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from trainyard.counts import count_text
from trainyard.diagnose.cluster.stream_files import StreamFiles, by_relevance
from trainyard.diagnose.combined_scan import CombinedScan
from trainyard.diagnose.diagnosis import DiagnosedCause
from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.diagnose.reasoning.root_causes import RootCauses
from trainyard.diagnose.scanning.scan import scan
from trainyard.diagnose.unusual import UnusualLines
from trainyard.edge.aws.cluster_logs import LogStream

_MOST_STREAMS_AT_ONCE = 24


@dataclass
class ClusterReader:
    """What was read of a cluster so far."""

    line_filter: LineFilter
    """Which lines count; whoever reads logs of nodes reads those of its nodes alone."""
    read_all: bool = False
    """Whether to go on where the root cause is certain, and to read every stream from its beginning."""
    report: Callable[[str], None] = lambda _: None
    collected: CombinedScan = field(default_factory=CombinedScan)
    unusual: UnusualLines = field(default_factory=UnusualLines)
    _found: RootCauses | None = None
    """What was found in all that was read; None where it has to be put together anew."""

    @property
    def is_certain(self) -> bool:
        """Return whether there is a root cause that nothing else can take the place of."""
        first = self._first()
        return first is not None and first.cause.kind == "root" and first.confidence == "certain"

    def read(self, files: Iterable[LogFile], *, of_no_node: bool = False) -> None:
        """Read some logs. Those of nodes are of nodes that are asked for; else lines of no node are left out."""
        self._found = None
        line_filter = self.line_filter if of_no_node else self.line_filter._replace(nodes=())
        self.collected.add(scan(files, unusual=self.unusual, line_filter=line_filter))

    def read_streams(self, of: StreamFiles, streams: Sequence[LogStream]) -> None:
        """Read streams, the most telling first."""
        done = 0
        for some in by_relevance(streams, _MOST_STREAMS_AT_ONCE):
            if not self.read_all and self.is_certain:
                why = "not looked at: the root cause is certain without; --all reads everything"
                self.collected.leave_out(Unread(f"{len(streams) - done} other streams of {of.group}", why))
                self.collected.is_whole = False
                return
            unread: list[Unread] = []
            self.read(of.whole(some) if self.read_all else of.ends(some, unread))
            self.collected.leave_out(*unread)
            self.collected.is_whole &= not unread
            done += len(some)
            self.report(f"{done} of {count_text(len(streams), 'stream')} read{self._so_far()}")

    def _so_far(self) -> str:
        first = self._first()
        return "" if first is None else f"; so far: {first.cause.title}"

    def _first(self) -> DiagnosedCause | None:
        if self._found is None:
            self._found = self.collected.causes(self.line_filter)
        return next(iter(self._found.causes), None)
