"""What AWS keeps of a cluster as logs to be diagnosed: streams, by relevance (log_relevance.yaml), and events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from trainyard.diagnose.log_file import LogFile, Unread, UnreadableError
from trainyard.diagnose.log_kind import kind_of
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import LogStream
from trainyard.edge.aws.log_events import Page, events, line_of
from trainyard.edge.aws.stack_events import StackEvent, stack_events
from trainyard.errors import TrainyardError
from trainyard.stop_request import results_of

_AT_ONCE = 8  # GetLogEvents may be called 25 times a second: botocore's own retries do the rest
_MOST_PAGES = 4  # of 1 MiB or 10,000 events
_FILE = Path(__file__).with_name("log_relevance.yaml")
_STACK = "AWS::CloudFormation::Stack"
_MOST_INNER = 20


@dataclass(frozen=True, slots=True)
class StreamFiles:
    """The streams of one log group, in a part of time."""

    account: Account
    group: str
    since_ms: int | None = None
    until_ms: int | None = None

    def ends(self, streams: Sequence[LogStream], unread: list[Unread]) -> list[LogFile]:
        """Return the ends of streams as logs, and add what was not read."""
        read = list(results_of(self._end, streams, _AT_ONCE))
        unread.extend(why for _, why in read if why is not None)
        return [file for file, _ in read if file is not None]

    def whole(self, streams: Sequence[LogStream]) -> Iterator[LogFile]:
        """Yield streams as logs that are fetched page by page while they are read."""
        for stream in streams:
            yield LogFile(stream.name, self._pages(stream))

    def _end(self, stream: LogStream) -> tuple[LogFile | None, Unread | None]:
        pages: list[Page] = []
        try:
            for page in events(self.account, self.group, stream.name, self.since_ms, self.until_ms, newest_first=True):
                if len(pages) == _MOST_PAGES:
                    why = f"only its last {sum(map(len, pages)):,} events were read; --all reads all of them"
                    return _file(stream, pages), Unread(stream.name, why)
                pages.append(page)
        except TrainyardError as error:
            return (_file(stream, pages) if pages else None), Unread(stream.name, error.problem)
        return _file(stream, pages), None

    def _pages(self, stream: LogStream) -> Iterator[bytes]:
        try:
            for page in events(self.account, self.group, stream.name, self.since_ms, self.until_ms):
                yield _bytes(page)
        except TrainyardError as error:
            raise UnreadableError(error.problem) from error


def _file(stream: LogStream, newest_first: Sequence[Page]) -> LogFile:
    return LogFile(stream.name, [_bytes(page) for page in reversed(newest_first)])


def _bytes(page: Page) -> bytes:
    return "".join(f"{line_of(event)}\n" for event in page).encode(errors="replace")


def by_relevance(streams: Iterable[LogStream], most: int) -> Iterator[tuple[LogStream, ...]]:
    """Yield streams, the most telling first and of each kind the newest, not more than ``most`` at once."""
    places = _places()
    by_group: dict[int, list[tuple[int, LogStream]]] = {}
    for stream in streams:
        group, place = places.get(kind_of(stream.name) or "", (len(places), 0))
        by_group.setdefault(group, []).append((place, stream))
    for group in sorted(by_group):
        ordered = sorted(
            by_group[group],
            key=lambda stream_place: (stream_place[0], -(stream_place[1].first_ms or 0), stream_place[1].name),
        )
        streams_of_group = tuple(stream for _, stream in ordered)
        yield from (streams_of_group[at : at + most] for at in range(0, len(streams_of_group), most))


@cache
def _places() -> dict[str, tuple[int, int]]:
    groups: list[list[str]] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)["groups"]
    return {kind: (group, place) for group, kinds in enumerate(groups) for place, kind in enumerate(kinds)}


def stack_files(account: Account, stack: str) -> Iterator[LogFile]:
    """Yield the events of a stack and of its failed inner stacks; nothing where there is no such stack.

    Raises TrainyardError where AWS does not answer.
    """
    events = stack_events(account, stack)
    if not events:
        return
    yield LogFile(f"{stack}-cfn-events", [_text(events)])
    # A stack's own events carry its name.
    inner = [event for event in events if event.type == _STACK and event.resource != event.stack and event.physical_id]
    failed = dict.fromkeys(stack_event.physical_id for stack_event in inner if stack_event.status.endswith("_FAILED"))
    for id_ in list(failed)[:_MOST_INNER]:
        if of_inner := stack_events(account, id_):
            yield LogFile(f"{of_inner[0].stack}-cfn-events", [_text(of_inner)])


def _text(newest_first: list[StackEvent]) -> bytes:
    lines = (_line(event) for event in reversed(newest_first))
    return "".join(f"{line}\n" for line in lines).encode(errors="replace")


def _line(event: StackEvent) -> str:
    at = dt.datetime.fromtimestamp(event.at, dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return " ".join([at, event.resource, event.type, event.status, *event.reason.split()])
