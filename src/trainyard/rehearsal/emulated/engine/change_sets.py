"""Change sets: what an operation would do, looked at before it is done."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trainyard.rehearsal.emulated.engine import deployment, plan
from trainyard.rehearsal.emulated.engine.plan import EmulatedChange, EmulatedProperty, StackTarget
from trainyard.rehearsal.emulated.engine.refusals import (
    ChangeSetStatusError,
    ChangeSetUnknownError,
    InvalidError,
    TakenError,
)
from trainyard.rehearsal.emulated.engine.stacks import EmulatedStack, every, stack_named

NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."
_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")


@dataclass(slots=True, kw_only=True)
class EmulatedChangeSet:
    """One change set of a stack."""

    name: str
    id: str
    kind: str
    """CREATE or UPDATE."""
    stack: EmulatedStack
    target: StackTarget
    capabilities: tuple[str, ...]
    token: str | None = None
    description: str | None = None
    on_failure: str | None = None
    status: str = "CREATE_COMPLETE"
    execution: str = "AVAILABLE"
    reason: str = ""
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    unseen: str = "CREATE_IN_PROGRESS"

    def look(self) -> str:
        """Return the status that a caller sees, and let time pass."""
        status = self.unseen or self.status
        self.unseen = ""
        return status


_OF_STACK: dict[str, dict[str, EmulatedChangeSet]] = {}
"""The change sets of each stack by name, by the id of the stack."""


def of_stack(stack: EmulatedStack) -> dict[str, EmulatedChangeSet]:
    """Return the change sets of a stack by name."""
    return _OF_STACK.setdefault(stack.id, {})


def add(change_set: EmulatedChangeSet) -> None:
    """Keep a change set. One without changes has failed from the start, as with AWS."""
    if not _NAME.fullmatch(change_set.name):
        raise InvalidError(
            f"1 validation error detected: Value '{change_set.name}' at 'changeSetName' is no valid name"
        )
    if change_set.name in of_stack(change_set.stack):
        raise TakenError(f"ChangeSet {change_set.name} cannot be created: it exists already")
    if change_set.kind == "UPDATE" and plan.changes_nothing(change_set.stack, change_set.target):
        change_set.status, change_set.execution, change_set.reason = "FAILED", "UNAVAILABLE", NO_CHANGES
    of_stack(change_set.stack)[change_set.name] = change_set


def new_id(name: str, region: str, account_id: str) -> str:
    """Return the ARN of a new change set."""
    return f"arn:aws:cloudformation:{region}:{account_id}:changeSet/{name}/{uuid.uuid4()}"


def find_change_set(name_or_id: str, stack_name: str | None, region: str) -> EmulatedChangeSet:
    """Return a change set by its ARN, or by its name and its stack."""
    stacks = [stack_named(stack_name, region)] if stack_name else every(region)
    for stack in stacks:
        for change_set in of_stack(stack).values():
            if name_or_id in (change_set.id, change_set.name if stack_name else None):
                return change_set
    raise ChangeSetUnknownError(name_or_id)


def execute(change_set: EmulatedChangeSet, *, rollback: bool) -> None:
    """Do what the change set says. Every other change set of the stack is gone then."""
    if change_set.execution != "AVAILABLE":
        raise ChangeSetStatusError(
            f"ChangeSet [{change_set.id}] cannot be executed in its current status of [{change_set.status}]"
        )
    stack = change_set.stack
    stack.rollback = rollback and change_set.on_failure != "DO_NOTHING"
    stack.delete_on_failure = change_set.on_failure == "DELETE"
    stack.capabilities = change_set.capabilities
    change_set.execution = "EXECUTE_COMPLETE"
    _OF_STACK[stack.id] = {change_set.name: change_set}
    work = deployment.create if change_set.kind == "CREATE" else deployment.update
    work(stack, change_set.target)


def resource_changes(change_set: EmulatedChangeSet, *, with_values: bool) -> list[dict[str, Any]]:
    """Return the changes as DescribeChangeSet shows them, with values of properties where a caller asks for them.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
    """
    return [
        {"Type": "Resource", "ResourceChange": _change_details(change, change_set.stack, with_values=with_values)}
        for change in change_set.target.changes
    ]


def _change_details(change: EmulatedChange, stack: EmulatedStack, *, with_values: bool) -> dict[str, Any]:
    physical = stack.resources[change.logical_id].physical if change.logical_id in stack.resources else None
    shown: dict[str, Any] = {
        "Action": change.action,
        "LogicalResourceId": change.logical_id,
        "ResourceType": change.type,
        "Scope": [],
        "Details": [],
    }
    if physical is not None:
        shown["PhysicalResourceId"] = physical.id
    if change.policy:
        shown["PolicyAction"] = change.policy
    if change.action == "Modify":
        shown["Replacement"] = str(change.replaces)
        shown["Scope"] = sorted({"Tags" if changed.name == "Tags" else "Properties" for changed in change.properties})
        shown["Details"] = [_detail(changed, change, with_values=with_values) for changed in change.properties]
    return shown


def _detail(changed: EmulatedProperty, change: EmulatedChange, *, with_values: bool) -> dict[str, Any]:
    recreation = "Always" if change.replaces else "Never"
    is_tags = changed.name == "Tags"
    target = {"Attribute": "Tags"} if is_tags else {"Attribute": "Properties", "Name": changed.name}
    if with_values and not is_tags:
        values = {"BeforeValue": changed.before, "AfterValue": changed.after}
        target |= {key: _text(value) for key, value in values.items() if value is not None}
    return {
        "Target": {**target, "RequiresRecreation": recreation},
        "Evaluation": "Static",
        "ChangeSource": "DirectModification",
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
