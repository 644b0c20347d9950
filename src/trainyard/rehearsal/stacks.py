"""The stacks of a deployment, resource by resource, as CloudFormation tells of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.deploy.work import Work
from trainyard.edge.aws.stack_events import StackEvent, stack_events, stack_resources
from trainyard.edge.aws.stacks import StackState, stacks_tagged

_STACK = "AWS::CloudFormation::Stack"


def made_stacks(work: Work) -> list[dict[str, Any]]:
    """Return the stacks of a cluster, those that stand in another one after it, with seconds since 1970."""
    own = [stack for stack in stacks_tagged(work.account, work.tag, work.name) if work.owns(stack.tags)]
    return [told for stack in own for told in _with_nested(work, stack.name, stack)]


def _with_nested(work: Work, name: str, state: StackState | None = None) -> Iterator[dict[str, Any]]:
    found = stack_resources(work.account, name)
    events = _events(work, name)
    yield {
        "name": _short(name) if state is None else state.name,
        "status": "CREATE_COMPLETE" if state is None else state.status,
        "kept": False,
        "resources": [_resource(one, events) for one in found],
    }
    for one in found:
        if one.type == _STACK and one.physical_id:
            yield from _with_nested(work, one.physical_id)


def _short(stack_id: str) -> str:
    """Return the name in the id of a stack: arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/UUID."""
    return stack_id.split("/")[1]


def _events(work: Work, name: str) -> dict[str, list[StackEvent]]:
    events: dict[str, list[StackEvent]] = {}
    for event in sorted(stack_events(work.account, name), key=lambda event: event.at):
        events.setdefault(event.resource, []).append(event)
    return events


def _resource(one: StackEvent, events: Mapping[str, list[StackEvent]]) -> dict[str, Any]:
    seen = events.get(one.resource) or [one]
    return {
        "logical_id": one.resource,
        "type": one.type,
        "physical_id": one.physical_id,
        "status": one.status,
        "started_s": seen[0].at,
        "seconds": round(seen[-1].at - seen[0].at, 2),
        "reason": one.reason,
    }
