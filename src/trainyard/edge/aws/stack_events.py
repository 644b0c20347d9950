"""What happens to the resources of a stack, as AWS CloudFormation tells it.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackEvents.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code, words
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.errors import TrainyardError

_FIRST_PAGES = 20  # of events: 100 a page


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
    events: list[StackEvent] = []
    pages = account.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=name)
    try:
        for number, page in enumerate(pages, start=1):
            events.extend(_event(event) for event in page["StackEvents"])
            if number == _FIRST_PAGES:
                break
    except ClientError as error:
        if code(error) == "ValidationError" and "does not exist" in words(error):
            return []
        raise account_error(error, account.region, f"read the events of stack {name}") from error
    return events


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
    try:
        pages = account.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=name)
        found = [one for page in pages for one in page["StackResourceSummaries"]]
    except ClientError as error:
        if code(error) == "ValidationError" and "does not exist" in words(error):
            return []
        raise account_error(error, account.region, f"list the resources of stack {name}") from error
    return [
        _event({**one, "EventId": "", "Timestamp": one["LastUpdatedTimestamp"], "StackName": name}) for one in found
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
        f"stack {shown} is {status}: {first.resource} ({first.type}): {first.reason or first.status}",
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
