"""What stands in the logs of a cluster: all of a period, the last of it, or only what a pattern finds."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import MOST_STREAMS, LogEvent, events, filtered
from trainyard.operate.logs.cluster_log import ClusterLog, Stream
from trainyard.operate.logs.period import Period

# How far to look back for the last events: a step, and then ever longer ones.
_FIRST_STEP_MS = 600_000
_LONGER = 4


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
    found = [filtered(account, log.group.name, part, *of, pattern=pattern) for part in parts]
    return heapq.merge(*(_each(pages) for pages in found), key=lambda event: event.at_ms)


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
    found: list[LogEvent] = []
    for page in events(account, log.group.name, stream.name, *of, newest_first=True):
        found = [*(log_event for log_event in page if search is None or search.finds(log_event.message)), *found]
        if len(found) >= most:
            break
    return found[-most:]


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
