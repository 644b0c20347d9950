"""AWS CloudFormation: stacks brought to a template by change sets, followed resource by resource.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

from collections.abc import Callable

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.change_sets import ChangeSet, StackRequest, execute_change_set, make_change_set
from trainyard.edge.aws.stack_events import StackEvent, stack_events, stack_failure
from trainyard.edge.aws.stacks import GOOD, UNDER_REVIEW, StackState, find_stack, polls, refuse_stuck
from trainyard.errors import TrainyardError

UNFINISHED = ("CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")
"""Whose making failed, or whose deletion: such a stack can only be deleted."""


def change_stack(
    account: Account,
    request: StackRequest,
    report: Callable[[StackEvent], None],
    review: Callable[[ChangeSet], None] = lambda _: None,
) -> StackState:
    """Make a stack or bring it up to date, and return it. Does nothing where nothing would change.

    ``review`` is given the changes of a stack that exists, and raises where they are not to be made.
    A stack that another call left under way is waited for; one whose making failed is removed first.
    Raises TrainyardError with the first resource that failed.
    """
    state: StackState | None = wait_until_settled(account, request.name, report)
    if state is not None and state.status in UNFINISHED:
        delete_stack(account, request.name, report)
        state = None
    if state is not None:
        refuse_stuck(state)
    is_new = state is None or state.status == UNDER_REVIEW
    change_set = make_change_set(account, request, is_new=is_new)
    if change_set is None:
        state = find_stack(account, request.name)
        if state is None:
            problem = f"stack {request.name} vanished while it was worked on"
            raise TrainyardError(problem, where=request.name, hint="run the command again")
        return state
    if not is_new:
        review(change_set)
    return execute(account, change_set, report)


def execute(account: Account, change_set: ChangeSet, report: Callable[[StackEvent], None]) -> StackState:
    """Do what a change set says, and return the stack. Raises TrainyardError with the first resource that failed."""
    before = {event.id for event in stack_events(account, change_set.stack)}
    execute_change_set(account, change_set)
    state = follow(account, change_set.stack, report, before)
    if state is None or state.status not in GOOD:
        raise stack_failure(account, change_set.stack, state)
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


def follow(
    account: Account, name: str, report: Callable[[StackEvent], None], reported_before: set[str] | None = None
) -> StackState | None:
    """Report each event until AWS is done with a stack, and return it; None where it is gone."""
    reported = set(reported_before or ())
    for _ in polls(account, name):
        state = find_stack(account, name)
        if state is None:
            return None
        for event in sorted(stack_events(account, name), key=lambda event: event.at):
            if event.id not in reported:
                reported.add(event.id)
                report(event)
        if not state.in_progress and state.status != UNDER_REVIEW:
            return state
    raise AssertionError("polls end in an error")


def wait_until_settled(account: Account, name: str, report: Callable[[StackEvent], None]) -> StackState | None:
    """Return the stack once nobody works on it any more."""
    state = find_stack(account, name)
    if state is None or not state.in_progress:
        return state
    before = {event.id for event in stack_events(account, name)}
    return follow(account, state.id if state.status.startswith("DELETE") else name, report, before)
