"""Some logs of a cluster that are in CloudWatch, to be read, followed or exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import LogEvent
from trainyard.edge.kubernetes.kubectl import KubectlOf, kubectl_of
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import ClusterLog, Stream, cluster_log
from trainyard.operate.logs.export import Export, Exported
from trainyard.operate.logs.follow import OVERLAP_MS, Following
from trainyard.operate.logs.log_filter import LogSelection, chosen
from trainyard.operate.logs.period import Period
from trainyard.operate.logs.read import read, read_last
from trainyard.operate.logs.search import search_for


@dataclass(frozen=True, slots=True)
class Logs:
    """Some streams of a cluster, to be read."""

    log: ClusterLog
    streams: tuple[Stream, ...]
    wanted: LogSelection
    account: Account
    kubectl_of: KubectlOf = kubectl_of

    @property
    def unread(self) -> Mapping[str, str]:
        """Return why some could not be read, by their names: CloudWatch gives all of them or none."""
        return {}

    def events(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the events of a period in the order of time: those that an expression of RE2 finds, or only the last.

        Raises InputError where it is no expression, TrainyardError where AWS does not answer.
        """
        search = None if grep is None else search_for(grep)
        if tail is not None:
            return iter(read_last(self.account, self.log, self.streams, of, most=tail, search=search))
        return read(self.account, self.log, self.streams, of, search)

    def follow(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the events of a period, or the last of it, and then new ones as they come: for ever, or to its end."""
        search = None if grep is None else search_for(grep)
        begin_ms = of.since_ms if of.since_ms is not None else int(self.account.clock.now() * 1000)
        shown = [] if tail is None else list(self.events(of, grep=grep, tail=tail))
        yield from shown
        if shown:
            # One millisecond may hold more than were shown.
            begin_ms = max(shown[0].at_ms + (len(shown) == tail), shown[-1].at_ms - OVERLAP_MS)
        known = Counter((log_event.at_ms, log_event.stream, log_event.message) for log_event in shown)
        following = Following(self.account, self.log.group.name, self._streams_now, search, known)
        yield from following.follow(begin_ms, of.until_ms)

    def export(
        self, of: Period, file: Path, *, force: bool = False, report: Callable[[str], None] = lambda _: None
    ) -> Exported:
        """Write the events of a period into an archive, as `pcluster export-cluster-logs` lays it out."""
        export = Export(self.account, self.log, self.streams, of, report)
        export.kubernetes = self.log.platform.export_part(export, self.kubectl_of)
        return export.write(file, force=force)

    def _streams_now(self) -> tuple[Stream, ...] | None:
        """Return the streams as they are now, None for all of them: nodes come and go."""
        if self.wanted == LogSelection() and not self.log.shared:
            return None
        now = cluster_log(self.account, self.log.name, self.log.group.name)
        try:
            return chosen(self.account, now, self.wanted)
        except InputError:  # what was there is gone for now
            return self.streams


def cluster_logs(  # noqa: PLR0913  which cluster, and what of it
    name: str,
    where: Account,
    *,
    nodes: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    jobs: tuple[str, ...] = (),
    group: str | None = None,
    kubectl: KubectlOf = kubectl_of,
) -> Logs:
    """Return the logs of a cluster, whoever made it, also of one that is gone: all, or those of some nodes and kinds.

    ``jobs`` are ids or names of jobs of AWS Batch, of which ``nodes`` are indexes. ``kubectl`` gives what adds the pods
    of EKS to an export.

    Raises TrainyardError where it has none, InputError where nothing is what was asked for.
    """
    log, wanted = cluster_log(where, name, group), LogSelection(nodes, kinds, jobs)
    return Logs(log, chosen(where, log, wanted), wanted, where, kubectl)
