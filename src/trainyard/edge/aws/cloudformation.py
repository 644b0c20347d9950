"""AWS CloudFormation: stacks brought to a template by change sets, followed resource by resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.refusals import account_error, code, words
from trainyard.errors import TrainyardError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from trainyard.edge.aws.account import Account

# Most stacks take seconds or minutes; calls are limited to a few a second for the whole account.
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_LONGEST_WAIT_S = 3 * 3600.0
_FIRST_PAGES = 20  # of events: 100 a page
_CHANGE_SET = "trainyard"
# What ends an operation, good or bad.
_GOOD = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"}


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


class StackState(NamedTuple):
    """A stack as AWS describes it."""

    name: str
    id: str
    status: str
    reason: str
    tags: Mapping[str, str]
    outputs: Mapping[str, str]

    @property
    def in_progress(self) -> bool:
        """Return whether AWS is still at work on it. A stack under review holds nothing and waits for us."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    @property
    def usable(self) -> bool:
        """Return whether it is whole: as its last template says, or as the one before."""
        return self.status in _GOOD | {"UPDATE_ROLLBACK_COMPLETE"}


class StackRequest(NamedTuple):
    """What a stack should be."""

    name: str
    template: str
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()


def find_stack(account: Account, name: str) -> StackState | None:
    """Return a stack by its name or id, None where there is none. A deleted one is found by its id only."""
    try:
        described = account.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if code(error) == "ValidationError" and "does not exist" in words(error):
            return None
        raise account_error(error, account.region, f"look at stack {name}") from error
    return _state(described)


def stacks_tagged(account: Account, tag: str, value: str) -> list[StackState]:
    """Return the stacks that carry a tag, in the order of their making."""
    pages = account.client("cloudformation").get_paginator("describe_stacks").paginate()
    try:
        found = [stack for page in pages for stack in page["Stacks"]]
    except ClientError as error:
        raise account_error(error, account.region, "list stacks") from error
    ours = [stack for stack in found if _tags(stack).get(tag) == value and "ParentId" not in stack]
    return [_state(stack) for stack in sorted(ours, key=lambda stack: stack["CreationTime"])]


def _state(described: Mapping[str, Any]) -> StackState:
    outputs = {one["OutputKey"]: one["OutputValue"] for one in described.get("Outputs", ())}
    return StackState(
        described["StackName"],
        described["StackId"],
        described["StackStatus"],
        described.get("StackStatusReason") or "",
        _tags(described),
        outputs,
    )


def _tags(described: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def change_stack(account: Account, request: StackRequest, report: Callable[[StackEvent], None]) -> StackState:
    """Make a stack or bring it up to date, and return it. Does nothing where nothing would change.

    A stack that another call left under way is waited for; one whose making failed is removed first.
    Raises TrainyardError with the first resource that failed.
    """
    found = _settled(account, request.name, report)
    if found is not None and found.status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"):
        delete_stack(account, request.name, report)
        found = None
    fresh = found is None or found.status == "REVIEW_IN_PROGRESS"
    if not _make_change_set(account, request, fresh=fresh):
        return _wanted(find_stack(account, request.name), request.name)
    before = {event.id for event in stack_events(account, request.name)}
    _execute(account, request.name)
    state = follow(account, request.name, report, before)
    if state is None or state.status not in _GOOD:
        raise stack_failure(account, request.name, state)
    return state


def _settled(account: Account, name: str, report: Callable[[StackEvent], None]) -> StackState | None:
    """Return the stack once nobody works on it any more."""
    found = find_stack(account, name)
    if found is None or not found.in_progress:
        return found
    before = {event.id for event in stack_events(account, name)}
    return follow(account, found.id if found.status.startswith("DELETE") else name, report, before)


def _wanted(state: StackState | None, name: str) -> StackState:
    if state is None:
        raise TrainyardError(f"stack {name} vanished while it was worked on", where=name, hint="run the command again")
    return state


def _make_change_set(account: Account, request: StackRequest, *, fresh: bool) -> bool:
    """Make the change set and return whether it would change anything."""
    client = account.client("cloudformation")
    _delete_change_set(account, request.name)
    try:
        client.create_change_set(
            StackName=request.name,
            ChangeSetName=_CHANGE_SET,
            ChangeSetType="CREATE" if fresh else "UPDATE",
            TemplateBody=request.template,
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=_token(request),
        )
    except ClientError as error:
        # Made by a first attempt whose answer was lost.
        if code(error) != "AlreadyExistsException":
            raise account_error(error, account.region, f"plan stack {request.name}") from error
    for _ in _polls(account):
        made = client.describe_change_set(StackName=request.name, ChangeSetName=_CHANGE_SET)
        if made["Status"] == "CREATE_COMPLETE":
            return True
        if made["Status"] == "FAILED":
            return _nothing_to_change(account, request.name, made.get("StatusReason", ""))
    raise _too_long(request.name)


def _nothing_to_change(account: Account, name: str, reason: str) -> bool:
    _delete_change_set(account, name)
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets-create.html
    if "didn't contain changes" in reason or "No updates are to be performed" in reason:
        return False
    raise TrainyardError(
        f"CloudFormation refuses to change stack {name}: {reason}", where=name, hint="see its change set in the console"
    )


def _delete_change_set(account: Account, name: str) -> None:
    try:
        account.client("cloudformation").delete_change_set(StackName=name, ChangeSetName=_CHANGE_SET)
    except ClientError as error:
        if code(error) not in ("ValidationError", "ChangeSetNotFound", "ChangeSetNotFoundException"):
            raise account_error(error, account.region, f"plan stack {name}") from error


def _token(request: StackRequest) -> str:
    return hashlib.sha256(json.dumps(request).encode()).hexdigest()[:64]


def _execute(account: Account, name: str) -> None:
    try:
        account.client("cloudformation").execute_change_set(StackName=name, ChangeSetName=_CHANGE_SET)
    except ClientError as error:
        # A first attempt whose answer was lost has set it going.
        if code(error) not in ("InvalidChangeSetStatus", "ChangeSetNotFound"):
            raise account_error(error, account.region, f"change stack {name}") from error


def delete_stack(account: Account, name: str, report: Callable[[StackEvent], None]) -> None:
    """Delete a stack and wait until it is gone. What its template retains stays.

    Raises TrainyardError with the first resource that could not be deleted.
    """
    found = _settled(account, name, report)
    if found is None or found.status == "DELETE_COMPLETE":
        return
    before = {event.id for event in stack_events(account, found.id)}
    try:
        account.client("cloudformation").delete_stack(StackName=found.id)
    except ClientError as error:
        raise account_error(error, account.region, f"delete stack {name}") from error
    state = follow(account, found.id, report, before)
    if state is not None and state.status != "DELETE_COMPLETE":
        raise stack_failure(account, found.id, state)


def follow(
    account: Account, name: str, report: Callable[[StackEvent], None], seen: set[str] | None = None
) -> StackState | None:
    """Report each event until AWS is done with a stack, and return it; None where it is gone."""
    told = set(seen or ())
    for _ in _polls(account):
        state = find_stack(account, name)
        if state is None:
            return None
        for event in sorted(stack_events(account, name), key=lambda event: event.at):
            if event.id not in told:
                told.add(event.id)
                report(event)
        if not state.in_progress and state.status != "REVIEW_IN_PROGRESS":
            return state
    raise _too_long(name)


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
        for event in sorted(stack_events(account, name), key=lambda event: event.at)
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


def _polls(account: Account) -> Iterator[None]:
    """Yield until the longest time that an operation may take is over, at once and then after growing pauses."""
    waited_s, pause_s = 0.0, _FIRST_PAUSE_S
    while waited_s < _LONGEST_WAIT_S:
        yield
        account.clock.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)


def _too_long(name: str) -> TrainyardError:
    hours = int(_LONGEST_WAIT_S / 3600)
    return TrainyardError(
        f"AWS is still at work on stack {name} after {hours} hours", where=name, hint="run the command again later"
    )
