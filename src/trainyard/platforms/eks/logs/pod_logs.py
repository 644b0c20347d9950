"""What pods say, by kubectl: some of it, the last of it, and what comes.

The kubelet keeps the last log file of each container alone, and none of a pod that is gone.
https://kubernetes.io/docs/concepts/cluster-administration/logging/
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import LogEvent
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.new_archive import new_archive
from trainyard.errors import TrainyardError
from trainyard.operate.logs.cluster_log import Stream
from trainyard.operate.logs.export import LogArchive
from trainyard.operate.logs.log_filter import LogSelection
from trainyard.operate.logs.period import Period
from trainyard.operate.logs.search import TextSearch, search_for
from trainyard.platforms.eks.logs.export import KubernetesPart
from trainyard.platforms.eks.logs.pods import pod_streams
from trainyard.platforms.eks.logs.stream_name import PodStreamName
from trainyard.stop_request import results_of

_STAMP = re.compile(r"(?P<second>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d{1,9}))?Z ?")
_AT_ONCE = 4  # processes of kubectl
_MOST_LINES = 200_000  # of a container
_EVERY_S = 5.0
_PODS_EVERY = 12  # rounds: new workers are new pods
# What kubectl says of a container that has not begun to log: it will.
_NOT_YET = re.compile(r"is waiting to start|ContainerCreating|PodInitializing|has not been found|not found in pod")


class PodLogLine(NamedTuple):
    """A line of a container with its time."""

    at_ns: int
    """Since 1970; as the line before it where it tells none."""
    text: str


@dataclass
class PodLogs:
    """Containers of a cluster, to be read."""

    name: str
    account: Account
    selection: LogSelection
    streams: tuple[Stream, ...]
    kubectl_of: KubectlOf = kubectl_of
    log: None = None
    """Nothing of them is in CloudWatch."""
    unread: dict[str, str] = field(default_factory=dict)
    """Why some could not be read, by their names."""

    def events(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the lines of a period in the order of time: those that an expression of RE2 finds, or only the last.

        Raises InputError where it is no expression, TrainyardError where none can be read.
        """
        search = None if grep is None else search_for(grep)
        most = _MOST_LINES if search is not None or tail is None or of.until_ms is not None else tail
        since = None if of.since_ms is None else _second(of.since_ms)
        with self.kubectl_of(self.account, self.name) as kubectl:
            read = list(results_of(lambda stream: self._lines(kubectl, stream, since, most), self.streams, _AT_ONCE))
        if self.streams and len(self.unread) == len(self.streams):
            raise TrainyardError(next(iter(self.unread.values())), where=self.name, hint="`kubectl get pods` says more")
        log_events = [
            event
            for event in heapq.merge(*(_events(stream, lines) for stream, lines in read), key=lambda event: event.at_ms)
            if _is_within(event, of) and (search is None or search.finds(event.message))
        ]
        yield from log_events if tail is None else log_events[len(log_events) - min(tail, len(log_events)) :]

    def follow(self, of: Period, *, grep: str | None = None, tail: int | None = None) -> Iterator[LogEvent]:
        """Yield the lines of a period, or the last of it, and then new ones as they come: for ever, or to its end."""
        search = None if grep is None else search_for(grep)
        now_ms = int(self.account.clock.now() * 1000)
        shown = [] if tail is None else list(self.events(of, grep=grep, tail=tail))
        yield from shown
        begin_ms = now_ms if of.since_ms is None or tail is not None else of.since_ms
        counts = Counter((log_event.at_ms, log_event.stream, log_event.message) for log_event in shown)
        with self.kubectl_of(self.account, self.name) as kubectl:
            following = _PodFollower(kubectl, begin_ms * 1_000_000)
            rounds = 0
            while True:
                at_ms = int(self.account.clock.now() * 1000)
                if rounds and rounds % _PODS_EVERY == 0:
                    self.streams = self._streams_now(kubectl)
                for event in following.new(self, self.streams, search):
                    if counts[event.at_ms, event.stream, event.message]:
                        counts[event.at_ms, event.stream, event.message] -= 1
                    elif _is_within(event, of):
                        yield event
                if of.until_ms is not None and at_ms >= of.until_ms:
                    return
                rounds += 1
                self.account.clock.sleep(_EVERY_S)

    def export(
        self,
        of: Period,
        file: Path,
        *,
        force: bool = False,
        redact: bool = True,
        report: Callable[[str], None] = lambda _: None,
    ) -> LogArchive:
        """Write the logs of the pods into an archive, with what Kubernetes says of the cluster.

        Raises InputError where the file exists and is not to be replaced.
        """
        now = datetime.fromtimestamp(self.account.clock.now(), UTC)
        folder = f"{self.name}-logs-{now:%Y%m%d%H%M}"
        part = KubernetesPart(self.account, self.name, of, self.selection, report, self.kubectl_of)
        with new_archive(file, force=force, redact=redact) as archive:
            added = part.add(archive, folder)
        left_out = "pods alone were asked for, or nothing of the cluster is in CloudWatch"
        return LogArchive(file, folder, 0, 0, 0, left_out, *added)

    def read(self, kubectl: Kubectl, stream: Stream, since: str | None, most: int | None) -> list[PodLogLine]:
        """Return the lines of a container. Raises TrainyardError where it cannot be read."""
        parts = stream.parts
        assert isinstance(parts, PodStreamName)  # noqa: S101  there are no others
        log_lines = kubectl.logs(
            parts.pod, parts.namespace, container=parts.container, since=since, tail=most, timestamps=True
        )
        return list(_stamped(log_lines))

    def _lines(
        self, kubectl: Kubectl, stream: Stream, since: str | None, most: int | None
    ) -> tuple[Stream, list[PodLogLine]]:
        try:
            lines = self.read(kubectl, stream, since, most)
        except TrainyardError as error:
            if _NOT_YET.search(error.problem):
                return stream, []
            self.unread[stream.name] = error.problem
            return stream, []
        return stream, lines

    def _streams_now(self, kubectl: Kubectl) -> tuple[Stream, ...]:
        try:
            return pod_streams(kubectl.get("pods"), self.selection)
        except TrainyardError:  # what was there is gone for now, or the API server is
            return self.streams


class _PodFollower:
    """What was shown of each container: lines may have the same time, and questions are of whole seconds."""

    def __init__(self, kubectl: Kubectl, begin_ns: int) -> None:
        self._kubectl, self._begin_ns = kubectl, begin_ns
        self._shown: dict[str, tuple[int, Counter[str]]] = {}
        """The time of the last line, and the lines of that time."""

    def new(self, of: PodLogs, streams: Sequence[Stream], search: TextSearch | None) -> Iterator[LogEvent]:
        for stream in streams:
            last_ns, at_last = self._shown.get(stream.name, (self._begin_ns, Counter()))
            try:
                lines = of.read(self._kubectl, stream, _second(last_ns // 1_000_000), None)
            except TrainyardError:  # it has not begun, has ended, or will be there in the next round
                continue
            left = Counter(at_last)
            for line in lines:
                if line.at_ns < last_ns:
                    continue
                if line.at_ns == last_ns and left[line.text]:
                    left[line.text] -= 1
                    continue
                known_ns, count_by_text = self._shown.get(stream.name, (last_ns, Counter(at_last)))
                count_by_text = count_by_text if known_ns == line.at_ns else Counter()
                count_by_text[line.text] += 1
                self._shown[stream.name] = (line.at_ns, count_by_text)
                if search is None or search.finds(line.text):
                    yield _event(stream, line)


def _events(stream: Stream, lines: Sequence[PodLogLine]) -> Iterator[LogEvent]:
    return (_event(stream, line) for line in lines)


def _event(stream: Stream, line: PodLogLine) -> LogEvent:
    return LogEvent(line.at_ns // 1_000_000, stream.name, line.text)


def _stamped(lines: Iterator[str]) -> Iterator[PodLogLine]:
    at_ns = 0
    for line in lines:
        match = _STAMP.match(line)
        if match is not None:
            at_ns = _ns(match)
        yield PodLogLine(at_ns, line if match is None else line[match.end() :])


def _ns(match: re.Match[str]) -> int:
    try:
        second = datetime.fromisoformat(match["second"]).replace(tzinfo=UTC).timestamp()
    except ValueError:  # the 31st of February
        return 0
    return int(second) * 10**9 + int((match["fraction"] or "0").ljust(9, "0"))


def _second(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _is_within(event: LogEvent, of: Period) -> bool:
    return (of.since_ms is None or event.at_ms >= of.since_ms) and (of.until_ms is None or event.at_ms < of.until_ms)
