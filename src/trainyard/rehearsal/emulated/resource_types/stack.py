"""A stack in a stack. Its outputs are attributes: ``Outputs.Name``."""

from __future__ import annotations

import uuid
from typing import Any

from trainyard.rehearsal.emulated.engine import deletion, deployment, plan, stacks
from trainyard.rehearsal.emulated.engine.template_source import body_of
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = stacks.STACK


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, with the tags and the rights of the stack that it stands in."""
    parent = stacks.existing(resource.stack_id, aws.region)
    name = f"{resource.stack_name}-{resource.logical_id}-{uuid.uuid4().hex[:12].upper()}"
    stack_id = f"arn:aws:cloudformation:{aws.region}:{aws.account_id}:stack/{name}/{uuid.uuid4()}"
    stack = stacks.Stack(
        name=name,
        id=stack_id,
        region=aws.region,
        parent=parent,
        capabilities=parent.capabilities,
        rollback=parent.rollback,
    )
    target = _target(stack, resource)
    stacks.add(stack)
    deployment.create(stack, target)
    if stack.status != "CREATE_COMPLETE":
        raise ResourceError(
            f"Embedded stack {stack_id} was not successfully created: {_why(stack)}", PhysicalResource(stack_id)
        )
    return _made(stack)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it."""
    stack = stacks.existing(physical.id, aws.region)
    target = _target(stack, resource)
    stack.rollback = stacks.existing(resource.stack_id, aws.region).rollback
    deployment.update(stack, target)
    if stack.status != "UPDATE_COMPLETE":
        raise ResourceError(f"Embedded stack {stack.id} was not successfully updated: {_why(stack)}")
    return _made(stack)


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with everything in it."""
    stack = stacks.existing(physical.id, aws.region)
    if stack.deleted is None:
        deletion.delete(stack)
    if stack.deleted is None:
        raise ResourceError(f"Embedded stack {stack.id} was not successfully deleted: {stack.reason}")


def _target(stack: stacks.Stack, resource: LogicalResource) -> plan.Target:
    body = body_of(None, resource.properties["TemplateURL"], InProcessAccount(stack.region))
    values = {name: _text(value) for name, value in (resource.properties.get("Parameters") or {}).items()}
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    return plan.target(stack, body, values, tags, stack.capabilities)


def _made(stack: stacks.Stack) -> PhysicalResource:
    return PhysicalResource(stack.id, {f"Outputs.{one['OutputKey']}": one["OutputValue"] for one in stack.outputs})


def _why(stack: stacks.Stack) -> str:
    failed = [event.reason for event in stack.events if event.status.endswith("_FAILED") and event.reason]
    return failed[0] if failed else stack.reason


def _text(value: Any) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, list) else str(value)
