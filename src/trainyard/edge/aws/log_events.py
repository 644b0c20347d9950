"""Amazon CloudWatch Logs: the events of one stream, or of many at once, page after page, or of one that goes on.

Times are milliseconds since 1970: from ``since_ms`` on, and before ``until_ms``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.cluster_logs import MISSING
from trainyard.edge.aws.errors import has_code
from trainyard.errors import TrainyardError

MOST_STREAMS = 100
"""How many streams one FilterLogEvents may name."""
# A page has 10,000 events or 1 MiB: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
_MOST_PAGES = 20_000
# FilterLogEvents answers with empty pages while it searches:
# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html

# A page has up to 10,000 events or 1 MiB. What is left is read the next time.
_MOST_NEW_PAGES = 200
# What a container said last arrives a moment after it has ended.
_QUIET_TIMES, _MOST_TIMES, _PAUSE_S = 3, 20, 2.0
_ARRIVED_AFTER_S = 120.0
# What a regular expression between percent signs may hold, and what in it means something. A plain term finds whole
# words only, an expression finds parts of words too, as grep does. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/regex-expressions.html
_PLAIN = re.compile(r"[A-Za-z0-9:_#=@/;,\- ]+")
_SPACE = r"\s"


class LogEvent(NamedTuple):
    """One event of a stream; its message may have several lines."""

    at_ms: int
    stream: str
    message: str
    id: str = ""
    """Of events that FilterLogEvents found; there it tells one from the other."""


Page = tuple[LogEvent, ...]


def events(  # noqa: PLR0913  a stream and a part of it
    account: Account,
    group: str,
    stream: str,
    since_ms: int | None = None,
    until_ms: int | None = None,
    *,
    newest_first: bool = False,
) -> Iterator[Page]:
    """Yield the events of a stream, page after page, oldest first; nothing where there is no such stream.

    With ``newest_first`` the pages come backwards, each of them in the order of time.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    request: dict[str, Any] = {"logGroupName": group, "logStreamName": stream, **_period(since_ms, until_ms)}
    key = "nextBackwardToken" if newest_first else "nextForwardToken"
    token: dict[str, str] = {}
    for _ in range(_MOST_PAGES):
        page = _page(account, "get_log_events", **request, startFromHead=not newest_first, **token)
        log_events = _within((_event(event, stream) for event in page.get("events", ())), since_ms, until_ms)
        if log_events:
            yield log_events
        # The end is where a call returns the token that it was given.
        if page.get(key) in (None, token.get("nextToken")):
            return
        token = {"nextToken": page[key]}
    raise _endless(group, stream)


def filter_events(  # noqa: PLR0913  streams, a part of them, and what is looked for
    account: Account,
    group: str,
    names: Sequence[str] = (),
    since_ms: int | None = None,
    until_ms: int | None = None,
    *,
    pattern: str | None = None,
    most_pages: int = _MOST_PAGES,
) -> Iterator[Page]:
    """Yield the events of many streams, all of the group where none is named, in the order of time.

    ``pattern`` is one of CloudWatch's, as ``pattern_of`` makes it. Where more than MOST_STREAMS are named,
    the order of time holds for each MOST_STREAMS of them. After ``most_pages`` calls for these it ends without a word.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    for start in range(0, max(len(names), 1), MOST_STREAMS):
        request: dict[str, Any] = {"logGroupName": group, "interleaved": True, **_period(since_ms, until_ms)}
        if names:
            request["logStreamNames"] = list(names[start : start + MOST_STREAMS])
        if pattern:
            request["filterPattern"] = pattern
        yield from _filtered(account, request, since_ms, until_ms, most_pages)


def _filtered(
    account: Account, request: dict[str, Any], since_ms: int | None, until_ms: int | None, most_pages: int
) -> Iterator[Page]:
    token: dict[str, str] = {}
    for _ in range(most_pages):
        page = _page(account, "filter_log_events", **request, **token)
        listed = page.get("events", ())
        log_events = _within((_event(event, event["logStreamName"]) for event in listed), since_ms, until_ms)
        if log_events:
            yield log_events
        if not page.get("nextToken"):
            return
        token = {"nextToken": page["nextToken"]}


def _page(account: Account, operation: str, **request: Any) -> dict[str, Any]:
    return call(account, "logs", operation, none_if=MISSING, **request) or {}


def _period(since_ms: int | None, until_ms: int | None) -> dict[str, int]:
    since = {} if since_ms is None else {"startTime": max(since_ms, 0)}
    return since | ({} if until_ms is None else {"endTime": max(until_ms, 0)})


def _event(described: dict[str, Any], stream: str) -> LogEvent:
    return LogEvent(described["timestamp"], stream, described["message"], described.get("eventId", ""))


def _within(log_events: Iterator[LogEvent], since_ms: int | None, until_ms: int | None) -> Page:
    """Return the events of the period. GetLogEvents leaves out what is at its end, FilterLogEvents does not."""
    return tuple(
        log_event
        for log_event in log_events
        if (since_ms is None or log_event.at_ms >= since_ms) and (until_ms is None or log_event.at_ms < until_ms)
    )


def _endless(group: str, stream: str) -> TrainyardError:
    return TrainyardError(
        f"stream {stream} has more than {_MOST_PAGES:,} pages of events", where=group, hint="ask for a shorter period"
    )


def pattern_of(text: str) -> str | None:
    """Return the pattern that finds every event in which a text occurs; None where CloudWatch cannot look for it.

    It may find more, so that whoever asks looks once more himself.
    """
    if not _PLAIN.fullmatch(text):
        return None
    return f"%{text.replace(' ', _SPACE)}%"


def time_text(at_ms: int) -> str:
    """Return a time as `pcluster export-cluster-logs` writes it: 2025-05-06T13:25:00.269Z."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03}Z"


def line_of(event: LogEvent) -> str:
    """Return an event as a line of such an export, without the end of the line. Its message may have more lines."""
    return f"{time_text(event.at_ms)} {event.message}"


@dataclass
class LogStreamReader:
    """A stream, and how far it was read."""

    account: Account
    group: str
    name: str
    _token: str | None = None
    _last_ms: int = 0
    _at_last: int = 0
    """How many events of that millisecond were read."""
    _again: int = 0
    """How many of them come again, because the token was too old."""

    def new(self) -> Iterator[LogEvent]:
        """Yield what was not read before, in the order of time; nothing where there is no such stream yet.

        Raises NotAllowedError, or TrainyardError where AWS does not answer; then the next call goes on from there.
        """
        for _ in range(_MOST_NEW_PAGES):
            page = self._page()
            token = self._token
            if not page:
                return
            for described in page.get("events", ()):
                yield from self._event(described)
            self._token = page.get("nextForwardToken")
            # The end is where a call returns the token that it was given.
            if self._token in (None, token):
                return

    def rest(self, ended_ms: int | None) -> Iterator[LogEvent]:
        """Yield what is left of a log whose writer has ended at some time, and wait a little for what is on its way."""
        clock, quiet = self.account.clock, 0
        for _ in range(_MOST_TIMES):
            before = (self._last_ms, self._at_last)
            yield from self.new()
            quiet = 0 if before != (self._last_ms, self._at_last) else quiet + 1
            arrived = ended_ms is not None and clock.now() - ended_ms / 1000 > _ARRIVED_AFTER_S
            if quiet == (1 if arrived else _QUIET_TIMES):
                return
            if quiet:
                clock.sleep(_PAUSE_S)

    def _page(self) -> dict[str, Any]:
        place: dict[str, Any] = {"logGroupName": self.group, "logStreamName": self.name, "startFromHead": True}
        if self._token is not None:
            try:
                return _page(self.account, "get_log_events", **place, nextToken=self._token)
            except TrainyardError as error:
                # Tokens hold for 24 hours.
                if not has_code(error.__cause__, ("InvalidParameterException",)):
                    raise
                self._token, self._again = None, self._at_last
        return _page(self.account, "get_log_events", **place, startTime=self._last_ms)

    def _event(self, described: dict[str, Any]) -> Iterator[LogEvent]:
        at_ms = int(described["timestamp"])
        if self._again and at_ms == self._last_ms:
            self._again -= 1
            return
        self._at_last = self._at_last + 1 if at_ms == self._last_ms else 1
        self._last_ms, self._again = at_ms, 0
        yield LogEvent(at_ms, self.name, described["message"])
