"""Waiting until AWS CloudFormation is done with a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stack_events import StackEvent, stack_events
from trainyard.edge.aws.stacks import UNDER_REVIEW, StackState, find_stack
from trainyard.errors import TrainyardError

# Most stacks take seconds or minutes; calls are limited to a few a second for the whole account.
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_LONGEST_WAIT_S = 3 * 3600.0


def follow(
    account: Account, name: str, report: Callable[[StackEvent], None], seen: set[str] | None = None
) -> StackState | None:
    """Report each event until AWS is done with a stack, and return it; None where it is gone."""
    told = set(seen or ())
    for _ in polls(account):
        state = find_stack(account, name)
        if state is None:
            return None
        for event in sorted(stack_events(account, name), key=lambda event: event.at):
            if event.id not in told:
                told.add(event.id)
                report(event)
        if not state.in_progress and state.status != UNDER_REVIEW:
            return state
    raise too_long(name)


def settled(account: Account, name: str, report: Callable[[StackEvent], None]) -> StackState | None:
    """Return the stack once nobody works on it any more."""
    found = find_stack(account, name)
    if found is None or not found.in_progress:
        return found
    before = {event.id for event in stack_events(account, name)}
    return follow(account, found.id if found.status.startswith("DELETE") else name, report, before)


def polls(account: Account) -> Iterator[None]:
    """Yield until the longest time that an operation may take is over, at once and then after growing pauses."""
    waited_s, pause_s = 0.0, _FIRST_PAUSE_S
    while waited_s < _LONGEST_WAIT_S:
        yield
        account.clock.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)


def too_long(name: str) -> TrainyardError:
    """Return the error of an operation that takes longer than any should."""
    hours = int(_LONGEST_WAIT_S / 3600)
    return TrainyardError(
        f"AWS is still at work on stack {name} after {hours} hours", where=name, hint="run the command again later"
    )
