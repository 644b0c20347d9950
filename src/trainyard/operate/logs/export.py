"""The logs of a cluster as an archive, laid out as `pcluster export-cluster-logs` does; no bucket is needed.

https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.export-cluster-logs-v3.html
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from threading import Event
from typing import IO, NamedTuple, Protocol

from trainyard.counts import count_text
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import events, line_of
from trainyard.edge.aws.stack_events import raw_stack_events
from trainyard.edge.new_archive import NewArchive, new_archive
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import word_or_quoted
from trainyard.operate.logs.cluster_log import ClusterLog, Stream
from trainyard.operate.logs.period import Period
from trainyard.stop_request import result_of

_AT_ONCE = 4  # streams; GetLogEvents may be called 25 times a second, fewer in some regions
_DAY_MS = 86_400_000
_ENDINGS = (".tar.gz", ".tgz")


class LogArchive(NamedTuple):
    """What is in an archive."""

    file: Path
    folder: str
    """The folder in it."""
    streams: int
    """How many have events in the period."""
    events: int
    stack_events: int
    left_out: str | None
    """Why there are no events of the stack; None where there are."""
    containers: int = 0
    """Of EKS: how many containers of pods have a log."""
    container_lines: int = 0
    kubernetes_left_out: str | None = None
    """Of EKS: why what Kubernetes says is not there, or not whole; None where it is."""


class KubernetesLogs(NamedTuple):
    """What was added of Kubernetes."""

    containers: int
    """How many had a log."""
    lines: int
    left_out: str | None
    """Why it is not whole; None where it is."""


class ExportPart(Protocol):
    """What an archive has beside the logs in CloudWatch."""

    def add(self, archive: NewArchive, folder: str) -> KubernetesLogs:
        """Add it, and return what was added."""


@dataclass
class Export:
    """An export of some streams."""

    account: Account
    log: ClusterLog
    streams: Sequence[Stream]
    of: Period
    report: Callable[[str], None] = lambda _: None
    kubernetes: ExportPart | None = None
    """What is added of a cluster of EKS; None of other clusters."""
    _ended: Event = field(default_factory=Event)
    """Set where nobody wants any more of it."""

    def write(self, file: Path, *, force: bool = False, redact: bool = True) -> LogArchive:
        """Write the archive, whole or not at all, and return what is in it. Secrets are replaced where ``redact`` is.

        Raises InputError where it exists and is not to be replaced, TrainyardError where the work cannot be done.
        """
        now = datetime.fromtimestamp(self.account.clock.now(), UTC)
        folder = f"{self.log.name}-logs-{now:%Y%m%d%H%M}"
        with new_archive(file, force=force, redact=redact) as archive:
            streams, count = self._add_streams(archive, folder)
            stack, left_out = self._add_stack_events(archive, folder)
            added = () if self.kubernetes is None else self.kubernetes.add(archive, folder)
        return LogArchive(file, folder, streams, count, stack, left_out, *added)

    def _add_streams(self, archive: NewArchive, folder: str) -> tuple[int, int]:
        streams_read = [stream for stream in self.streams if _may_have_events(stream, self.of)]
        streams = count = 0
        with closing(self._reads(archive, streams_read)) as reads:
            for number, read in enumerate(reads, start=1):
                with read.content:
                    if read.events:
                        name = f"{folder}/cloudwatch-logs/{_file_name(read.stream)}"
                        archive.add(name, read.content, read.last_ms / 1000)
                        streams, count = streams + 1, count + read.events
                of = f"{number} of {count_text(len(streams_read), 'stream')}"
                self.report(f"{of}: {word_or_quoted(read.stream.name)}, {count_text(read.events, 'event')}")
        return streams, count

    def _reads(self, archive: NewArchive, streams_read: Sequence[Stream]) -> Generator[_Read]:
        """Yield what was read of each stream in their order, reading a few ahead."""
        ahead: deque[tuple[Future[_Read], IO[bytes]]] = deque()
        left = iter(streams_read)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            try:
                while True:
                    for stream in islice(left, _AT_ONCE - len(ahead)):
                        content = archive.part()
                        ahead.append((pool.submit(self._read, stream, content), content))
                    if not ahead:
                        return
                    read = result_of(ahead[0][0])
                    ahead.popleft()
                    yield read
            finally:
                self._ended.set()
                pool.shutdown(cancel_futures=True)
                for _, content in ahead:
                    content.close()

    def _read(self, stream: Stream, content: IO[bytes]) -> _Read:
        count, last_ms = 0, 0
        for page in events(self.account, self.log.group.name, stream.name, *self.of):
            content.writelines(f"{line_of(event)}\n".encode(errors="replace") for event in page)
            count, last_ms = count + len(page), page[-1].at_ms
            if self._ended.is_set():
                break
        return _Read(stream, content, count, last_ms)

    def _add_stack_events(self, archive: NewArchive, folder: str) -> tuple[int, str | None]:
        try:
            pages = raw_stack_events(self.account, self.log.stack)
        except TrainyardError as error:
            return 0, error.problem
        if not pages:
            return 0, f"there is no stack {self.log.stack} any more"
        with archive.part() as content:
            content.write(json.dumps(pages, indent=2).encode())
            archive.add(f"{folder}/{self.log.stack}-cfn-events", content, self.account.clock.now())
        return sum(map(len, pages)), None


def refuse_other_endings(file: Path, option: str) -> None:
    """Raise InputError where a name is not that of a gzipped tar, which is all that is written."""
    if file.name.casefold().endswith(_ENDINGS):
        return
    called = file.name.partition(".")[0] or "logs"
    raise InputError(
        f"{file} is no name for an archive: {option} writes a gzipped tar",
        where=option,
        hint=f"call it {file.with_name(called + _ENDINGS[0])}",
    )


class _Read(NamedTuple):
    stream: Stream
    content: IO[bytes]
    events: int
    last_ms: int


def _may_have_events(stream: Stream, of: Period) -> bool:
    """Return whether a stream may have events of a period. What CloudWatch says of its end may be hours behind."""
    begins_later = of.until_ms is not None and stream.first_ms is not None and stream.first_ms >= of.until_ms
    ended_before = of.since_ms is not None and stream.last_ms is not None and stream.last_ms + _DAY_MS < of.since_ms
    return not (begins_later or ended_before)


def _file_name(stream: Stream) -> str:
    """Return the name of a stream as that of a file in one folder. Whoever may write logs may name it anything."""
    name = "".join(letter if letter.isprintable() and letter != "/" else "-" for letter in stream.name)
    return name if name.strip(".") else f"stream{name}"
