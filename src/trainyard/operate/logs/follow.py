"""New events of a cluster's logs as they come: one search every few seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import LogEvent, filtered
from trainyard.operate.logs.cluster_log import Stream
from trainyard.operate.logs.read import Search

_EVERY_S = 5.0
# Agents send what they have every 5 s, and CloudWatch takes a moment until it is found: every search goes back so far.
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-Configuration-File-Details.html
OVERLAP_MS = 60_000
_STREAMS_EVERY = 12  # searches; new nodes bring new streams


@dataclass
class Following:
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
        found = filtered(self.account, self.group, names, since_ms, until_ms, pattern=pattern)
        kept_from_ms = int(self.account.clock.now() * 1000) - 2 * OVERLAP_MS
        for event in (log_event for page in found for log_event in page):
            if event.id in self._seen:
                continue
            if event.at_ms >= kept_from_ms:
                self._seen[event.id] = event.at_ms
            if self._was_shown(event):
                continue
            if self.search is None or self.search.finds(event.message):
                yield event

    def _was_shown(self, event: LogEvent) -> bool:
        if not self.shown[known := (event.at_ms, event.stream, event.message)]:
            return False
        self.shown[known] -= 1
        return True
