"""What happens to the resources of a stack, as AWS CloudFormation tells it.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackEvents.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages
from trainyard.edge.aws.errors import NO_STACK, aws_errors, has_code
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted_or

_FIRST_PAGES = 20  # of events: 100 a page
_MOST_PAGES = 200


class StackEvent(NamedTuple):
    """What happened to one resource of a stack."""

    id: str
    at: float
    """Seconds since 1970."""
    stack: str
    resource: str
    """Its logical id."""
    type: str
    status: str
    reason: str
    physical_id: str


def stack_events(account: Account, name: str) -> list[StackEvent]:
    """Return the last events of a stack, the newest first; none where there is no such stack."""
    event_pages = _event_pages(account, name, f"read the events of stack {name}")
    return [_event(event) for page in islice(event_pages, _FIRST_PAGES) for event in page]


def raw_stack_events(account: Account, name: str) -> list[list[dict[str, Any]]]:
    """Return the pages of a stack's events as AWS describes them, the newest first, for an archive of logs.

    Times are texts. There is no page where there is no such stack.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return [[_with_text(event) for event in page] for page in islice(_event_pages(account, name), _MOST_PAGES)]


def _event_pages(account: Account, name: str, doing: str = "") -> Iterator[list[dict[str, Any]]]:
    with aws_errors(account.region, doing, "cloudformation:DescribeStackEvents"):
        try:
            described = account.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=name)
            yield from (page["StackEvents"] for page in described)
        except ClientError as error:
            if not has_code(error, NO_STACK):
                raise


def _with_text(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event whose time reads as in `pcluster export-cluster-logs`: 2025-07-02T08:08:50.000Z."""
    at = event["Timestamp"]
    return {**event, "Timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"}


def _event(described: Mapping[str, Any]) -> StackEvent:
    return StackEvent(
        described["EventId"],
        described["Timestamp"].timestamp(),
        described["StackName"],
        described.get("LogicalResourceId", ""),
        described.get("ResourceType", ""),
        described.get("ResourceStatus", ""),
        described.get("ResourceStatusReason") or "",
        described.get("PhysicalResourceId") or "",
    )


def stack_resources(account: Account, name: str) -> list[StackEvent]:
    """Return the resources of a stack with their present state, as if it were their only event."""
    listed = pages(
        account,
        "cloudformation",
        "list_stack_resources",
        "StackResourceSummaries",
        doing=f"list the resources of stack {name}",
        none_if=NO_STACK,
        StackName=name,
    )
    return [
        _event({**summary, "EventId": "", "Timestamp": summary["LastUpdatedTimestamp"], "StackName": name})
        for summary in listed
    ]


def stack_failure(account: Account, name: str, state: StackState | None) -> TrainyardError:
    """Return the error of a stack that failed: its first failing resource. What AWS cancelled after it is no cause."""
    failed = [
        event
        for event in _of_last_operation(stack_events(account, name))
        if event.status.endswith("_FAILED") and "cancelled" not in event.reason.lower()
    ]
    shown = state.name if state is not None else name
    status = state.status if state is not None else "gone"
    if not failed:
        return TrainyardError(f"stack {shown} is {status}", where=shown, hint="see its events in the console")
    first = failed[0]
    if first.type == "AWS::CloudFormation::Stack" and first.physical_id not in ("", state.id if state else name):
        inner = stack_failure(account, first.physical_id, find_stack(account, first.physical_id))
        return TrainyardError(f"stack {shown} is {status}: {inner.problem}", where=shown, hint=inner.hint)
    return TrainyardError(
        f"stack {shown} is {status}: {first.resource} ({first.type}): {quoted_or(first.reason, first.status)}",
        where=shown,
        hint="put right what it says, then run the command again: it goes on from here",
    )


def _of_last_operation(events: list[StackEvent]) -> list[StackEvent]:
    """Return the events since somebody last asked for anything, in order. ``events`` has the newest first."""
    last: list[StackEvent] = []
    for event in events:
        last.append(event)
        if event.type == "AWS::CloudFormation::Stack" and event.reason == "User Initiated":
            break
    return last[::-1]
