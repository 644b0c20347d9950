"""What went wrong lately: resources of stacks that failed, in one form with what platforms tell of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stack_events import stack_events
from trainyard.edge.aws.stacks import StackState
from trainyard.foreign_text import quoted

_MOST = 5
_MOST_SHOWN = 300


class Failure(NamedTuple):
    """Something that went wrong."""

    at: str | None
    """When, the last time, as an ISO 8601 time; None where it is not written down."""
    place: str
    """The stack, node or log that says so."""
    what: str
    times: int = 1


def of_stacks(account: Account, stacks: Iterable[StackState]) -> tuple[Failure, ...]:
    """Return the last resources that failed in stacks that are not whole, the first of each operation first.

    What CloudFormation cancelled because of another is left out.
    """
    return tuple(failure for stack in stacks if not stack.usable for failure in _of_stack(account, stack))


def _of_stack(account: Account, stack: StackState) -> Iterator[Failure]:
    failed = [
        event
        for event in stack_events(account, stack.id)
        if event.status.endswith("_FAILED") and "cancelled" not in event.reason.lower() and event.reason
    ]
    for event in failed[:_MOST][::-1]:
        what = short(f"{event.resource} ({event.type}): {quoted(event.reason)}")
        yield Failure(iso_time(event.at), f"stack {stack.name}", what)


def short(text: str) -> str:
    """Return a text on one line, cut where it is long. A quotation that is cut still ends as one."""
    text = " ".join(text.split())
    shown = text[:_MOST_SHOWN]
    return text if len(text) <= _MOST_SHOWN else shown + "…" + '"' * (shown.count('"') % 2)


def iso_time(at_s: float) -> str:
    """Return seconds since 1970 as an ISO 8601 time."""
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="seconds")
