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
    return [stack_values for stack in own for stack_values in _with_nested(work, stack.name, stack)]


def _with_nested(work: Work, name: str, state: StackState | None = None) -> Iterator[dict[str, Any]]:
    resources = stack_resources(work.account, name)
    events = _events(work, name)
    yield {
        "name": _short(name) if state is None else state.name,
        "status": "CREATE_COMPLETE" if state is None else state.status,
        "kept": False,
        "resources": [_resource(resource, events) for resource in resources],
    }
    for resource in resources:
        if resource.type == _STACK and resource.physical_id:
            yield from _with_nested(work, resource.physical_id)


def _short(stack_id: str) -> str:
    """Return the name in the id of a stack: arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/UUID."""
    return stack_id.split("/")[1]


def _events(work: Work, name: str) -> dict[str, list[StackEvent]]:
    events: dict[str, list[StackEvent]] = {}
    for event in sorted(stack_events(work.account, name), key=lambda event: event.at):
        events.setdefault(event.resource, []).append(event)
    return events


def _resource(resource: StackEvent, events: Mapping[str, list[StackEvent]]) -> dict[str, Any]:
    resource_events = events.get(resource.resource) or [resource]
    return {
        "logical_id": resource.resource,
        "type": resource.type,
        "physical_id": resource.physical_id,
        "status": resource.status,
        "started_s": resource_events[0].at,
        "seconds": round(resource_events[-1].at - resource_events[0].at, 2),
        "reason": resource.reason,
    }
