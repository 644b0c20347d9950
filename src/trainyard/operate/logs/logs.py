"""Some logs of a cluster that are in CloudWatch, to be read, followed or exported."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import MOST_STREAMS, LogEvent, events, filter_events
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import ClusterLog, Stream, cluster_log
from trainyard.operate.logs.export import Export, LogArchive
from trainyard.operate.logs.log_filter import LogSelection, selected_streams
from trainyard.operate.logs.period import Period
from trainyard.operate.logs.search import search_for
from trainyard.platform_table import PLATFORMS

_EVERY_S = 5.0
# Agents send what they have every 5 s, and CloudWatch takes a moment until it is found: every search goes back so far.
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-Configuration-File-Details.html
OVERLAP_MS = 60_000
_STREAMS_EVERY = 12  # searches; new nodes bring new streams
# How far to look back for the last events: a step, and then ever longer ones.
_FIRST_STEP_MS = 600_000
_LONGER = 4


class LogReader(Protocol):
    """Some logs of a cluster, to be read."""

    @property
    def name(self) -> str:
        """Return the name of the cluster."""

    @property
    def account(self) -> Account:
        """Return where it is."""

    @property
    def log(self) -> ClusterLog | None:
        """Return what they are part of in CloudWatch; None for logs of pods, which kubectl reads."""

    @property
    def streams(self) -> tuple[Stream, ...]:
        """Return what is read: streams, or containers of pods."""

    @property
    def unread(self) -> Mapping[str, str]:
        """Return why some could not be read, by their names."""

    def events(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the events of a period in the order of time: those that an expression of RE2 finds, or only the last.

        Raises InputError where it is no expression, TrainyardError where nothing can be read.
        """

    def follow(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the events of a period, or the last of it, and then new ones as they come: for ever, or to its end."""

    def export(
        self,
        of: Period,
        file: Path,
        *,
        force: bool = False,
        redact: bool = True,
        report: Callable[[str], None] = lambda _: None,
    ) -> LogArchive:
        """Write the events of a period into an archive, without secrets where ``redact`` is."""


@dataclass(frozen=True, slots=True)
class Logs:
    """Some streams of a cluster, to be read."""

    log: ClusterLog
    streams: tuple[Stream, ...]
    selection: LogSelection
    account: Account
    kubectl_of: KubectlOf = kubectl_of

    @property
    def name(self) -> str:
        """Return the name of the cluster."""
        return self.log.name

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
        counts = Counter((log_event.at_ms, log_event.stream, log_event.message) for log_event in shown)
        following = StreamFollower(self.account, self.log.group.name, self._streams_now, search, counts)
        yield from following.follow(begin_ms, of.until_ms)

    def export(
        self,
        of: Period,
        file: Path,
        *,
        force: bool = False,
        redact: bool = True,
        report: Callable[[str], None] = lambda _: None,
    ) -> LogArchive:
        """Write the events of a period into an archive, as `pcluster export-cluster-logs` lays it out."""
        export = Export(self.account, self.log, self.streams, of, report)
        export.kubernetes = self.log.platform.export_part(export, self.kubectl_of)
        return export.write(file, force=force, redact=redact)

    def _streams_now(self) -> tuple[Stream, ...] | None:
        """Return the streams as they are now, None for all of them: nodes come and go."""
        if self.selection == LogSelection() and not self.log.shared:
            return None
        now = cluster_log(self.account, self.log.name, self.log.group.name)
        try:
            return selected_streams(self.account, now, self.selection)
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
    log, selection = cluster_log(where, name, group), LogSelection(nodes, kinds, jobs)
    return Logs(log, selected_streams(where, log, selection), selection, where, kubectl)


def logs_of(  # noqa: PLR0913  which cluster, and what of it
    name: str,
    where: Account,
    *,
    nodes: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    jobs: tuple[str, ...] = (),
    pods: tuple[str, ...] = (),
    group: str | None = None,
    kubectl: KubectlOf = kubectl_of,
) -> LogReader:
    """Return the logs of a cluster as ``cluster_logs`` does, or of EKS those of pods, which kubectl reads.

    Pods are meant by ``pods``, and where no log group is named by ``jobs`` and ``nodes``, or where there is no group.
    Raises TrainyardError where it has none, InputError where nothing is what was asked for.
    """
    wanted = LogSelection(nodes, kinds, jobs, pods)
    platforms = (platform.logs() for platform in PLATFORMS.values() if platform.logs is not None)
    sources = [platform.PODS for platform in platforms if platform.PODS is not None]
    if pods:
        # The last is asked in any case: it says that there is no such cluster.
        own = (source for source in sources[:-1] if source.has_cluster(where, name))
        return next(own, sources[-1]).pod_logs(where, name, wanted, kubectl)
    try:
        log = cluster_log(where, name, group)
    except TrainyardError:
        # A cluster whose control plane logs nothing has no log group.
        source = next((source for source in sources if group is None and source.has_cluster(where, name)), None)
        if source is not None:
            return source.pod_logs(where, name, wanted, kubectl)
        raise
    if log.platform.PODS is not None and group is None and (jobs or nodes):
        return log.platform.PODS.pod_logs(where, name, wanted, kubectl)
    return Logs(log, selected_streams(where, log, wanted), wanted, where, kubectl)


@dataclass
class StreamFollower:
    """Follows some streams of a log group."""

    account: Account
    group: str
    streams: Callable[[], tuple[Stream, ...] | None]
    """Asked now and then: which ones; None stands for all of them."""
    search: Search | None = None
    shown: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    """What was shown before, by time, stream and message: it is not new."""
    _seen: dict[str, int] = field(default_factory=dict)
    """The time of events of the overlap, by their ids."""

    def follow(self, since_ms: int, until_ms: int | None = None) -> Iterator[LogEvent]:
        """Yield new events until ``until_ms`` has passed; without it, until whoever reads them stops."""
        searches, begin_ms = 0, since_ms
        streams: tuple[Stream, ...] | None = ()
        while True:
            now_ms = int(self.account.clock.now() * 1000)
            if searches % _STREAMS_EVERY == 0:
                streams = self.streams()
            yield from self._new(streams, begin_ms, until_ms)
            if until_ms is not None and now_ms >= until_ms:
                return
            begin_ms = max(begin_ms, now_ms - OVERLAP_MS)
            self._seen = {id_: at for id_, at in self._seen.items() if at >= begin_ms}
            searches += 1
            self.account.clock.sleep(_EVERY_S)

    def _new(self, streams: tuple[Stream, ...] | None, since_ms: int, until_ms: int | None) -> Iterator[LogEvent]:
        if streams == ():
            return
        names = () if streams is None else [stream.name for stream in streams]
        pattern = None if self.search is None else self.search.pattern
        pages = filter_events(self.account, self.group, names, since_ms, until_ms, pattern=pattern)
        kept_from_ms = int(self.account.clock.now() * 1000) - 2 * OVERLAP_MS
        for event in (log_event for page in pages for log_event in page):
            if event.id in self._seen:
                continue
            if event.at_ms >= kept_from_ms:
                self._seen[event.id] = event.at_ms
            if self._was_shown(event):
                continue
            if self.search is None or self.search.finds(event.message):
                yield event

    def _was_shown(self, event: LogEvent) -> bool:
        if not self.shown[key := (event.at_ms, event.stream, event.message)]:
            return False
        self.shown[key] -= 1
        return True


class Search(Protocol):
    """What is looked for in events."""

    @property
    def pattern(self) -> str | None:
        """The pattern by which CloudWatch looks ahead; None where it cannot."""

    def finds(self, message: str) -> bool:
        """Return whether it is in a message."""


def read(
    account: Account, log: ClusterLog, streams: Sequence[Stream], of: Period, search: Search | None = None
) -> Iterator[LogEvent]:
    """Yield the events of some streams of a cluster in the order of time."""
    if not streams:
        return
    for event in _merged(account, log, streams, of, search):
        if search is None or search.finds(event.message):
            yield event


def _merged(
    account: Account, log: ClusterLog, streams: Sequence[Stream], of: Period, search: Search | None
) -> Iterator[LogEvent]:
    if len(streams) == 1 and search is None:
        pages = events(account, log.group.name, streams[0].name, *of)
        return (event for page in pages for event in page)
    pattern = search.pattern if search is not None else None
    # All of them are asked for without their names: one search, and not one for each hundred.
    everything = log.whole and not log.shared and len(streams) == len(log.streams)
    names = [stream.name for stream in streams]
    parts = [[]] if everything else [names[at : at + MOST_STREAMS] for at in range(0, len(names), MOST_STREAMS)]
    page_lists = [filter_events(account, log.group.name, part, *of, pattern=pattern) for part in parts]
    return heapq.merge(*(_each(pages) for pages in page_lists), key=lambda event: event.at_ms)


def _each(pages: Iterator[tuple[LogEvent, ...]]) -> Iterator[LogEvent]:
    for page in pages:
        yield from page


def read_last(  # noqa: PLR0913  those of read, and how many
    account: Account,
    log: ClusterLog,
    streams: Sequence[Stream],
    of: Period,
    *,
    most: int,
    search: Search | None = None,
) -> list[LogEvent]:
    """Return the last events of some streams, in the order of time, no more than ``most``."""
    if not streams or most < 1:
        return []
    if len(streams) == 1:
        return _last_of_one(account, log, streams[0], of, most=most, search=search)
    log_events: list[LogEvent] = []
    for step in _steps_back(log, of, account.clock.now()):
        last = deque(read(account, log, streams, step, search), most - len(log_events))
        log_events = [*last, *log_events]
        if len(log_events) >= most:
            break
    return log_events


def _last_of_one(  # noqa: PLR0913  those of read_last
    account: Account, log: ClusterLog, stream: Stream, of: Period, *, most: int, search: Search | None
) -> list[LogEvent]:
    newest_events: list[LogEvent] = []
    for page in events(account, log.group.name, stream.name, *of, newest_first=True):
        newest_events = [
            *(log_event for log_event in page if search is None or search.finds(log_event.message)),
            *newest_events,
        ]
        if len(newest_events) >= most:
            break
    return newest_events[-most:]


def _steps_back(log: ClusterLog, of: Period, now_s: float) -> Iterator[Period]:
    """Yield parts of a period, the last first, each longer than the one before. Clocks of nodes may run ahead."""
    first = of.since_ms if of.since_ms is not None else _beginning(log)
    end, step = of.until_ms, _FIRST_STEP_MS
    at = int(now_s * 1000) if end is None else end
    while True:
        since = max(at - step, first)
        yield Period(since, end)
        if since <= first:
            return
        at, end, step = since, since, step * _LONGER


def _beginning(log: ClusterLog) -> int:
    """Return when the first event of any stream was. Where nobody says, it may be older than the group."""
    return min((stream.first_ms for stream in log.streams if stream.first_ms is not None), default=0)
