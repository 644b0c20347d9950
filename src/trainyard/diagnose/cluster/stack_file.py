"""The events of a cluster's stacks as a log, the oldest first, with those of the stacks within them that failed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from trainyard.diagnose.log_file import LogFile
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stack_events import StackEvent, stack_events

_STACK = "AWS::CloudFormation::Stack"
_MOST_INNER = 20


def stack_files(account: Account, stack: str) -> Iterator[LogFile]:
    """Yield the events of a stack and of its failed inner stacks; nothing where there is no such stack.

    Raises TrainyardError where AWS does not answer.
    """
    events = stack_events(account, stack)
    if not events:
        return
    yield LogFile(f"{stack}-cfn-events", [_text(events)])
    # A stack's own events carry its name.
    inner = [event for event in events if event.type == _STACK and event.resource != event.stack and event.physical_id]
    failed = dict.fromkeys(stack_event.physical_id for stack_event in inner if stack_event.status.endswith("_FAILED"))
    for id_ in list(failed)[:_MOST_INNER]:
        if of_inner := stack_events(account, id_):
            yield LogFile(f"{of_inner[0].stack}-cfn-events", [_text(of_inner)])


def _text(newest_first: list[StackEvent]) -> bytes:
    lines = (_line(event) for event in reversed(newest_first))
    return "".join(f"{line}\n" for line in lines).encode(errors="replace")


def _line(event: StackEvent) -> str:
    at = dt.datetime.fromtimestamp(event.at, dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return " ".join([at, event.resource, event.type, event.status, *event.reason.split()])
