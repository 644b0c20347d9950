"""Amazon CloudWatch Logs: the log groups of a cluster and the streams in them. What is in a stream: log_events.py.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/Welcome.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call

MISSING = {"ResourceNotFoundException"}
"""What CloudWatch Logs answers where there is no such group or stream."""

_MOST_GROUP_PAGES = 20  # of 50 groups
_MOST_STREAM_PAGES = 1000  # of 50 streams: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogStreams.html


class GroupNames(NamedTuple):
    """How log groups are called. A beginning alone would catch the cluster llm-2 for llm."""

    beginning: str
    """With ``{cluster}`` for the name of the cluster."""
    ending: str
    """A pattern for all that stands behind it."""


class LogGroup(NamedTuple):
    """A log group of a cluster."""

    name: str
    made_ms: int
    """When it was made, in milliseconds since 1970. That of ParallelCluster is made with the cluster."""
    size_bytes: int
    """What is stored in it."""
    kept_days: int | None
    """How long events are kept; None where for good."""


class LogStream(NamedTuple):
    """A stream of a log group: the events of one log of one node.

    Its size is not known: since 2019 CloudWatch reports zero.
    https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_LogStream.html
    """

    name: str
    first_ms: int | None
    """The time of its first event, in milliseconds since 1970; None while it has none."""
    last_ms: int | None
    """The time of its last event. It may be an hour behind, so no stream is left out because of it alone."""


class Streams(NamedTuple):
    """The streams of a log group."""

    streams: tuple[LogStream, ...]
    """In the order of their names."""
    whole: bool
    """False where there are more than were asked for."""


def groups(account: Account, cluster: str, names: Sequence[GroupNames]) -> tuple[LogGroup, ...]:
    """Return the log groups of a cluster, the newest first: also those that a deleted cluster left. Often none.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    of_cluster = [
        group for beginning, ending in names for group in _groups_of(account, beginning.format(cluster=cluster), ending)
    ]
    return tuple(sorted(of_cluster, key=lambda group: (group.made_ms, group.name), reverse=True))


def group_named(account: Account, name: str) -> LogGroup | None:
    """Return a log group by its name; None where there is none.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return next(iter(_groups_of(account, name, "")), None)


def _groups_of(account: Account, beginning: str, ending: str) -> Iterator[LogGroup]:
    group_name = re.compile(re.escape(beginning) + f"(?:{ending})")
    request = {"logGroupNamePrefix": beginning}
    groups, _ = _listed(account, "describe_log_groups", "logGroups", _MOST_GROUP_PAGES, request)
    for group in groups:
        if group_name.fullmatch(group["logGroupName"]):
            retention_days = group.get("retentionInDays")
            created, size = group.get("creationTime", 0), group.get("storedBytes", 0)
            yield LogGroup(group["logGroupName"], _made_ms(group["logGroupName"], created), size, retention_days)


def _made_ms(name: str, made_ms: int) -> int:
    """Return when a group was made. Of ParallelCluster's, whose names say so, a copied one keeps its place."""
    if not name.startswith("/aws/parallelcluster/"):
        return made_ms
    try:
        return int(datetime.strptime(name[-12:], "%Y%m%d%H%M").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return made_ms


def streams(account: Account, group: str, prefix: str = "", most_pages: int = _MOST_STREAM_PAGES) -> Streams:
    """Return the streams of a log group whose names begin with ``prefix``; none where there is no such group.

    One call lists 50. Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    request: dict[str, Any] = {"logGroupName": group, **({"logStreamNamePrefix": prefix} if prefix else {})}
    listed, whole = _listed(account, "describe_log_streams", "logStreams", most_pages, request)
    return Streams(tuple(_stream(stream) for stream in listed), whole)


def _stream(described: dict[str, Any]) -> LogStream:
    return LogStream(
        described["logStreamName"], described.get("firstEventTimestamp"), described.get("lastEventTimestamp")
    )


def _listed(
    account: Account, operation: str, key: str, most_pages: int, request: dict[str, Any]
) -> tuple[list[dict[str, Any]], bool]:
    """Return what a call lists, and whether that is all."""
    items: list[dict[str, Any]] = []
    token: dict[str, str] = {}
    for _ in range(most_pages):
        page = call(account, "logs", operation, none_if=MISSING, **request, **token) or {}
        items += page.get(key, ())
        if not page.get("nextToken"):
            return items, True
        token = {"nextToken": page["nextToken"]}
    return items, False
