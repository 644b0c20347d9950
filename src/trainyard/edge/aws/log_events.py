"""Amazon CloudWatch Logs: the events of one stream, or of many at once, page after page in the order of time.

Times are milliseconds since 1970: from ``since_ms`` on, and before ``until_ms``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client
from trainyard.edge.aws.cluster_logs import MISSING
from trainyard.errors import TrainyardError

MOST_STREAMS = 100
"""How many streams one FilterLogEvents may name."""
# A page has 10,000 events or 1 MiB: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
_MOST_PAGES = 20_000
# FilterLogEvents answers with empty pages while it searches:
# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html


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
    asked = {"logGroupName": group, "logStreamName": stream, **_period(since_ms, until_ms)}
    key = "nextBackwardToken" if newest_first else "nextForwardToken"
    token: dict[str, str] = {}
    for _ in range(_MOST_PAGES):
        page = _asked(account, "get_log_events", {**asked, "startFromHead": not newest_first, **token})
        found = _within((_event(one, stream) for one in page.get("events", ())), since_ms, until_ms)
        if found:
            yield found
        # The end is where a call returns the token that it was given.
        if page.get(key) in (None, token.get("nextToken")):
            return
        token = {"nextToken": page[key]}
    raise _endless(group, stream)


def filtered(  # noqa: PLR0913  streams, a part of them, and what is looked for
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

    ``pattern`` is one of CloudWatch's, as ``log_pattern.pattern_of`` makes it. Where more than MOST_STREAMS are named,
    the order of time holds for each MOST_STREAMS of them. After ``most_pages`` calls for these it ends without a word.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    for start in range(0, max(len(names), 1), MOST_STREAMS):
        asked: dict[str, Any] = {"logGroupName": group, "interleaved": True, **_period(since_ms, until_ms)}
        if names:
            asked["logStreamNames"] = list(names[start : start + MOST_STREAMS])
        if pattern:
            asked["filterPattern"] = pattern
        yield from _filtered(account, asked, since_ms, until_ms, most_pages)


def _filtered(
    account: Account, asked: dict[str, Any], since_ms: int | None, until_ms: int | None, most_pages: int
) -> Iterator[Page]:
    token: dict[str, str] = {}
    for _ in range(most_pages):
        page = _asked(account, "filter_log_events", {**asked, **token})
        listed = page.get("events", ())
        found = _within((_event(one, one["logStreamName"]) for one in listed), since_ms, until_ms)
        if found:
            yield found
        if not page.get("nextToken"):
            return
        token = {"nextToken": page["nextToken"]}


def _asked(account: Account, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
    permission = {"get_log_events": "logs:GetLogEvents", "filter_log_events": "logs:FilterLogEvents"}[operation]
    call = partial(getattr(client(account, "logs"), operation), **asked)
    return answer_or_none(account, permission, call, MISSING) or {}


def _period(since_ms: int | None, until_ms: int | None) -> dict[str, int]:
    since = {} if since_ms is None else {"startTime": max(since_ms, 0)}
    return since | ({} if until_ms is None else {"endTime": max(until_ms, 0)})


def _event(described: dict[str, Any], stream: str) -> LogEvent:
    return LogEvent(described["timestamp"], stream, described["message"], described.get("eventId", ""))


def _within(found: Iterator[LogEvent], since_ms: int | None, until_ms: int | None) -> Page:
    """Return the events of the period. GetLogEvents leaves out what is at its end, FilterLogEvents does not."""
    return tuple(
        one
        for one in found
        if (since_ms is None or one.at_ms >= since_ms) and (until_ms is None or one.at_ms < until_ms)
    )


def _endless(group: str, stream: str) -> TrainyardError:
    return TrainyardError(
        f"stream {stream} has more than {_MOST_PAGES:,} pages of events", where=group, hint="ask for a shorter period"
    )


def time_text(at_ms: int) -> str:
    """Return a time as `pcluster export-cluster-logs` writes it: 2025-05-06T13:25:00.269Z."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03}Z"


def line_of(event: LogEvent) -> str:
    """Return an event as a line of such an export, without the end of the line. Its message may have more lines."""
    return f"{time_text(event.at_ms)} {event.message}"
