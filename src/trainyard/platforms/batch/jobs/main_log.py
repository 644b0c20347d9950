"""The log of a job's main node, through all of its attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import BatchJob
from trainyard.edge.aws.log_events import LogEvent
from trainyard.edge.aws.log_stream import LogStream


@dataclass
class MainLog:
    """Shows what is new in the log, whenever it is asked to."""

    account: Account
    show: Callable[[str], None]
    _streams: dict[str, LogStream] = field(default_factory=dict)

    def go_on(self, job: BatchJob) -> int:
        """Show what is new, and return how many lines that were. A further attempt begins a stream of its own."""
        return sum(self._shown(self._stream(job, name).new()) for name in job.main.log_streams)

    def finish(self, job: BatchJob) -> None:
        """Show the rest of a job that has ended."""
        self.go_on(job)
        for name in job.main.log_streams[-1:]:
            self._shown(self._stream(job, name).rest(job.stopped_ms))

    def _stream(self, job: BatchJob, name: str) -> LogStream:
        return self._streams.setdefault(name, LogStream(self.account, job.main.log_group, name))

    def _shown(self, events: Iterator[LogEvent]) -> int:
        lines = 0
        for event in events:
            self.show(event.message)
            lines += 1
        return lines
