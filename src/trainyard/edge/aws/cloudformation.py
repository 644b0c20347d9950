"""AWS CloudFormation: stacks brought to a template by change sets, followed resource by resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

from collections.abc import Callable

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.change_sets import StackRequest, execute, make_change_set
from trainyard.edge.aws.refusals import account_error
from trainyard.edge.aws.stack_events import StackEvent, stack_events, stack_failure
from trainyard.edge.aws.stack_waiting import follow, settled
from trainyard.edge.aws.stacks import GOOD, UNDER_REVIEW, StackState, find_stack, refuse_stuck
from trainyard.errors import TrainyardError

_UNFINISHED = ("CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")


def change_stack(account: Account, request: StackRequest, report: Callable[[StackEvent], None]) -> StackState:
    """Make a stack or bring it up to date, and return it. Does nothing where nothing would change.

    A stack that another call left under way is waited for; one whose making failed is removed first.
    Raises TrainyardError with the first resource that failed.
    """
    found = settled(account, request.name, report)
    if found is not None and found.status in _UNFINISHED:
        delete_stack(account, request.name, report)
        found = None
    if found is not None:
        refuse_stuck(found)
    fresh = found is None or found.status == UNDER_REVIEW
    change_set = make_change_set(account, request, fresh=fresh)
    if change_set is None:
        return _wanted(find_stack(account, request.name), request.name)
    before = {event.id for event in stack_events(account, request.name)}
    execute(account, request.name, change_set)
    state = follow(account, request.name, report, before)
    if state is None or state.status not in GOOD:
        raise stack_failure(account, request.name, state)
    return state


def _wanted(state: StackState | None, name: str) -> StackState:
    if state is None:
        raise TrainyardError(f"stack {name} vanished while it was worked on", where=name, hint="run the command again")
    return state


def delete_stack(account: Account, name: str, report: Callable[[StackEvent], None]) -> None:
    """Delete a stack and wait until it is gone. What its template retains stays.

    Raises TrainyardError with the first resource that could not be deleted.
    """
    found = settled(account, name, report)
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
