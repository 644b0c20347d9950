"""AWS CloudFormation: stacks brought to a template by change sets, followed resource by resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.aws.stack_events import StackEvent, stack_events, stack_failure
from trainyard.edge.aws.stacks import GOOD, OWN_CHANGE_SETS, UNDER_REVIEW, StackState, find_stack, refuse_stuck
from trainyard.errors import TrainyardError

_UNFINISHED = ("CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")
# What an update must not take away or make anew: it holds data, or everything stands in it.
_KEPT_BY_UPDATES = {
    "AWS::APS::Workspace",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::ECR::Repository",
    "AWS::FSx::FileSystem",
    "AWS::Grafana::Workspace",
}
# Most stacks take seconds or minutes; calls are limited to a few a second for the whole account.
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_LONGEST_WAIT_S = 3 * 3600.0


class StackRequest(NamedTuple):
    """What a stack should be."""

    name: str
    template: str
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    template_url: str | None = None
    """Where the template lies in S3, where it is too long for a request."""


def change_stack(account: Account, request: StackRequest, report: Callable[[StackEvent], None]) -> StackState:
    """Make a stack or bring it up to date, and return it. Does nothing where nothing would change.

    A stack that another call left under way is waited for; one whose making failed is removed first.
    Raises TrainyardError with the first resource that failed.
    """
    state: StackState | None = wait_until_settled(account, request.name, report)
    if state is not None and state.status in _UNFINISHED:
        delete_stack(account, request.name, report)
        state = None
    if state is not None:
        refuse_stuck(state)
    fresh = state is None or state.status == UNDER_REVIEW
    change_set = _make_change_set(account, request, fresh=fresh)
    if change_set is None:
        state = find_stack(account, request.name)
        if state is None:
            problem = f"stack {request.name} vanished while it was worked on"
            raise TrainyardError(problem, where=request.name, hint="run the command again")
        return state
    before = {event.id for event in stack_events(account, request.name)}
    _execute(account, request.name, change_set)
    state = follow(account, request.name, report, before)
    if state is None or state.status not in GOOD:
        raise stack_failure(account, request.name, state)
    return state


def delete_stack(account: Account, name: str, report: Callable[[StackEvent], None]) -> None:
    """Delete a stack and wait until it is gone. What its template retains stays.

    Raises TrainyardError with the first resource that could not be deleted.
    """
    stack = wait_until_settled(account, name, report)
    if stack is None or stack.status == "DELETE_COMPLETE":
        return
    before = {event.id for event in stack_events(account, stack.id)}
    call(account, "cloudformation", "delete_stack", doing=f"delete stack {name}", StackName=stack.id)
    state = follow(account, stack.id, report, before)
    if state is not None and state.status != "DELETE_COMPLETE":
        raise stack_failure(account, stack.id, state)


def _make_change_set(account: Account, request: StackRequest, *, fresh: bool) -> str | None:
    """Make a change set and return its id, None where it would change nothing.

    Its name is new each time: one that another call left is not executed by mistake, and goes when ours is.
    """
    client, name = account.client("cloudformation"), f"{OWN_CHANGE_SETS}{uuid.uuid4().hex}"
    with aws_errors(account.region, f"plan stack {request.name}"):
        change_set: str = client.create_change_set(
            StackName=request.name,
            ChangeSetName=name,
            ChangeSetType="CREATE" if fresh else "UPDATE",
            **_template(request),
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=name,
        )["Id"]
        for _ in _polls(account):
            described = client.describe_change_set(StackName=request.name, ChangeSetName=change_set)
            if described["Status"] == "CREATE_COMPLETE":
                if not fresh:
                    _refuse_loss(account, request.name, change_set)
                return change_set
            if described["Status"] == "FAILED":
                _refuse_failed(account, request.name, change_set, described.get("StatusReason", ""))
                return None
    raise _too_long(request.name)


def _template(request: StackRequest) -> dict[str, str]:
    return {"TemplateBody": request.template} if request.template_url is None else {"TemplateURL": request.template_url}


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
    for change in (item["ResourceChange"] for page in pages for item in page["Changes"] if "ResourceChange" in item):
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
    """Set a change set going, unless an earlier attempt has."""
    # A first attempt whose answer was lost has set it going.
    gone = ("InvalidChangeSetStatus", "ChangeSetNotFound", "ChangeSetNotFoundException")
    place = {"StackName": name, "ChangeSetName": change_set}
    call(account, "cloudformation", "execute_change_set", doing=f"change stack {name}", none_if=gone, **place)


def follow(
    account: Account, name: str, report: Callable[[StackEvent], None], reported_before: set[str] | None = None
) -> StackState | None:
    """Report each event until AWS is done with a stack, and return it; None where it is gone."""
    reported = set(reported_before or ())
    for _ in _polls(account):
        state = find_stack(account, name)
        if state is None:
            return None
        for event in sorted(stack_events(account, name), key=lambda event: event.at):
            if event.id not in reported:
                reported.add(event.id)
                report(event)
        if not state.in_progress and state.status != UNDER_REVIEW:
            return state
    raise _too_long(name)


def wait_until_settled(account: Account, name: str, report: Callable[[StackEvent], None]) -> StackState | None:
    """Return the stack once nobody works on it any more."""
    state = find_stack(account, name)
    if state is None or not state.in_progress:
        return state
    before = {event.id for event in stack_events(account, name)}
    return follow(account, state.id if state.status.startswith("DELETE") else name, report, before)


def _polls(account: Account) -> Iterator[None]:
    """Yield until the longest time that an operation may take is over, at once and then after growing pauses."""
    waited_s, pause_s = 0.0, _FIRST_PAUSE_S
    while waited_s < _LONGEST_WAIT_S:
        yield
        account.clock.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)


def _too_long(name: str) -> TrainyardError:
    """Return the error of an operation that takes longer than any should."""
    hours = int(_LONGEST_WAIT_S / 3600)
    return TrainyardError(
        f"AWS is still at work on stack {name} after {hours} hours", where=name, hint="run the command again later"
    )
