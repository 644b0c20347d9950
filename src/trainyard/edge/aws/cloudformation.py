"""AWS CloudFormation: stacks brought to a template by change sets, followed resource by resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import uuid
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
_CHANGE_SET = "trainyard-"
_UNDER_REVIEW = "REVIEW_IN_PROGRESS"
_UNFINISHED = ("CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")
# What an update must not take away or make anew: it holds data, or everything stands in it.
_KEPT_BY_UPDATES = {
    "AWS::APS::Workspace",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::FSx::FileSystem",
    "AWS::Grafana::Workspace",
}
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
        return self.status.endswith("_IN_PROGRESS") and self.status != _UNDER_REVIEW

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
    state = _state(described)
    return state._replace(tags=_tags_under_review(account, name)) if state.status == _UNDER_REVIEW else state


def _tags_under_review(account: Account, name: str) -> dict[str, str]:
    """Return the tags that a stack under review will have: it has none itself, our change set has them."""
    client = account.client("cloudformation")
    try:
        names = [one["ChangeSetName"] for one in client.list_change_sets(StackName=name)["Summaries"]]
        ours = [one for one in names if one.startswith(_CHANGE_SET)]
        return _tags(client.describe_change_set(StackName=name, ChangeSetName=ours[-1])) if ours else {}
    except ClientError as error:
        raise account_error(error, account.region, f"look at stack {name}") from error


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
    if found is not None and found.status in _UNFINISHED:
        delete_stack(account, request.name, report)
        found = None
    if found is not None:
        refuse_stuck(found)
    fresh = found is None or found.status == _UNDER_REVIEW
    change_set = _make_change_set(account, request, fresh=fresh)
    if change_set is None:
        return _wanted(find_stack(account, request.name), request.name)
    before = {event.id for event in stack_events(account, request.name)}
    _execute(account, request.name, change_set)
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


def refuse_stuck(found: StackState) -> None:
    """Raise TrainyardError for a stack whose last update failed halfway: it runs, and only its owner can say how on.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-continueupdaterollback.html
    """
    if found.status in ("UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED"):
        raise TrainyardError(
            f"stack {found.name} is {found.status}: {found.reason or 'see its events'}",
            where=found.name,
            hint=f"`aws cloudformation continue-update-rollback --stack-name {found.name}` brings it back to what it "
            "was; then run the command again",
        )


def _make_change_set(account: Account, request: StackRequest, *, fresh: bool) -> str | None:
    """Make a change set and return its id, None where it would change nothing.

    Its name is new each time: one that another call left is not executed by mistake, and goes when ours is.
    """
    client, name = account.client("cloudformation"), f"{_CHANGE_SET}{uuid.uuid4().hex}"
    try:
        made: str = client.create_change_set(
            StackName=request.name,
            ChangeSetName=name,
            ChangeSetType="CREATE" if fresh else "UPDATE",
            TemplateBody=request.template,
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=name,
        )["Id"]
        for _ in _polls(account):
            found = client.describe_change_set(StackName=request.name, ChangeSetName=made)
            if found["Status"] == "CREATE_COMPLETE":
                if not fresh:
                    _refuse_loss(account, request.name, made)
                return made
            if found["Status"] == "FAILED":
                _refuse_failed(account, request.name, made, found.get("StatusReason", ""))
                return None
    except ClientError as error:
        raise account_error(error, account.region, f"plan stack {request.name}") from error
    raise _too_long(request.name)


def _refuse_failed(account: Account, name: str, change_set: str, reason: str) -> None:
    """Remove a change set that failed. Raises TrainyardError unless all that is wrong with it is that it is empty."""
    account.client("cloudformation").delete_change_set(StackName=name, ChangeSetName=change_set)
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets-create.html
    if "didn't contain changes" not in reason and "No updates are to be performed" not in reason:
        raise TrainyardError(
            f"CloudFormation refuses to change stack {name}: {reason}", where=name, hint="put right what it says"
        )


def _refuse_loss(account: Account, name: str, change_set: str) -> None:
    """Raise TrainyardError where an update would remove or replace what holds data, or what everything stands in."""
    client = account.client("cloudformation")
    pages = client.get_paginator("describe_change_set").paginate(StackName=name, ChangeSetName=change_set)
    for change in (one["ResourceChange"] for page in pages for one in page["Changes"] if "ResourceChange" in one):
        lost = change["Action"] == "Remove" or change.get("Replacement") in ("True", "Conditional")
        if lost and change["ResourceType"] in _KEPT_BY_UPDATES:
            client.delete_change_set(StackName=name, ChangeSetName=change_set)
            what = "removed" if change["Action"] == "Remove" else "replaced by an empty one"
            raise TrainyardError(
                f"{change['LogicalResourceId']} ({change['ResourceType']}) of stack {name} would be {what}",
                where=name,
                hint="`trainyard plan` lists what cannot be changed later; put it back in the spec, or make a second "
                "cluster or environment under another name and move the data",
            )


def _execute(account: Account, name: str, change_set: str) -> None:
    try:
        account.client("cloudformation").execute_change_set(StackName=name, ChangeSetName=change_set)
    except ClientError as error:
        # A first attempt whose answer was lost has set it going.
        if code(error) not in ("InvalidChangeSetStatus", "ChangeSetNotFound", "ChangeSetNotFoundException"):
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
        if not state.in_progress and state.status != _UNDER_REVIEW:
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
