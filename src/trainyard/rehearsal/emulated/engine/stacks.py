"""The stacks of the emulated account: what each is made of, its status, and everything that happened to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.resource import PhysicalResource

STACK = "AWS::CloudFormation::Stack"


@dataclass(frozen=True, slots=True)
class EmulatedStackEvent:
    """One thing that happened to a stack or to a resource of it."""

    stack_id: str
    stack_name: str
    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class EmulatedResource:
    """A logical resource, whether or not it exists."""

    logical_id: str
    type: str
    status: str
    reason: str = ""
    physical: PhysicalResource | None = None
    superseded: PhysicalResource | None = None
    """What it was before an update that goes on; deleted when the update is over."""
    deletion_policy: str = "Delete"
    replace_policy: str = "Delete"
    time: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True, kw_only=True)
class EmulatedStack:
    """A stack. ``status`` is the truth; ``shown`` is what callers see, which lags behind by one look."""

    name: str
    id: str
    region: str
    body: str = ""
    template: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    """Parameters as they were given."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters as Ref gives them."""
    tags: Mapping[str, str] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    role: str | None = None
    parent: EmulatedStack | None = None
    protected: bool = False
    rollback: bool = True
    delete_on_failure: bool = False
    status: str = "REVIEW_IN_PROGRESS"
    reason: str = ""
    resources: dict[str, EmulatedResource] = field(default_factory=dict)
    outputs: list[dict[str, str]] = field(default_factory=list)
    imports: frozenset[str] = frozenset()
    events: list[EmulatedStackEvent] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    """Of the calls that were answered already: the same call again, because its answer was lost, changes nothing."""
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated: datetime | None = None
    deleted: datetime | None = None
    drift_detection: str = ""
    """The id of the last detection of drift."""
    drifts: list[dict[str, Any]] = field(default_factory=list)
    """What it has detected, as DescribeStackResourceDrifts shows it."""
    unfinished_rollback: Any = None
    """What an update that could not be taken back was made of, for whoever goes on with that."""
    unseen: str = ""
    """The status that the next look shows instead: an operation is never over before somebody saw it run."""

    def physical_resources(self) -> dict[str, PhysicalResource]:
        """Return the resources that exist."""
        return {name: resource.physical for name, resource in self.resources.items() if resource.physical is not None}

    def say(self, status: str, reason: str = "") -> None:
        """Change the status of the stack."""
        self.status = status
        self.reason = reason
        self.events.append(EmulatedStackEvent(self.id, self.name, self.name, self.id, STACK, status, reason))

    def say_of(self, resource: EmulatedResource, status: str, reason: str = "") -> None:
        """Change the status of a resource."""
        resource.status = status
        resource.reason = reason
        resource.time = datetime.now(UTC)
        physical_id = resource.physical.id if resource.physical else ""
        event = EmulatedStackEvent(self.id, self.name, resource.logical_id, physical_id, resource.type, status, reason)
        self.events.append(event)

    def over(self, running: str) -> None:
        """End an operation, which callers see running once more. Nested stacks are seen through their parents."""
        self.unseen = running if self.parent is None else ""

    def look(self) -> str:
        """Return the status that a caller sees, and let time pass."""
        status = self.unseen or self.status
        self.unseen = ""
        return status

    def exports(self) -> dict[str, str]:
        """Return what this stack exports."""
        return {output["ExportName"]: output["OutputValue"] for output in self.outputs if "ExportName" in output}


_STACKS: dict[str, EmulatedStack] = {}
"""Every stack that ever was, by its id."""


def add(stack: EmulatedStack) -> None:
    """Keep a new stack."""
    _STACKS[stack.id] = stack


def every(region: str) -> list[EmulatedStack]:
    """Return all stacks of a region, deleted ones too, the newest first."""
    return [stack for stack in reversed(_STACKS.values()) if stack.region == region]


def existing_stacks(region: str) -> list[EmulatedStack]:
    """Return the stacks of a region that are not deleted, or whose deletion nobody has seen yet."""
    return [stack for stack in every(region) if stack.deleted is None or stack.unseen]


def find_stack(name_or_id: str, region: str) -> EmulatedStack | None:
    """Return a stack by its name, or also a deleted one by its id."""
    if name_or_id in _STACKS:
        return _STACKS[name_or_id]
    return next((stack for stack in existing_stacks(region) if stack.name == name_or_id), None)


def stack_named(name_or_id: str, region: str) -> EmulatedStack:
    """Return a stack. Raises InvalidError where there is none."""
    stack = find_stack(name_or_id, region)
    if stack is None:
        raise InvalidError(f"Stack with id {name_or_id} does not exist")
    return stack


def exports(region: str) -> dict[str, tuple[EmulatedStack, str]]:
    """Return every export of a region: which stack, and which value."""
    alive: Iterable[EmulatedStack] = (stack for stack in every(region) if stack.deleted is None)
    return {name: (stack, value) for stack in alive for name, value in stack.exports().items()}


def importers(name: str, region: str) -> list[EmulatedStack]:
    """Return the stacks that import an export."""
    return [stack for stack in every(region) if stack.deleted is None and name in stack.imports]


def every_event() -> list[dict[str, Any]]:
    """Return what happened in all stacks, in order."""
    events = [event for stack in _STACKS.values() for event in stack.events]
    return [
        {
            "time": event.time.isoformat(),
            "stack": event.stack_name,
            "stack_id": event.stack_id,
            "logical_id": event.logical_id,
            "physical_id": event.physical_id,
            "type": event.type,
            "status": event.status,
            "reason": event.reason,
        }
        for event in sorted(events, key=lambda event: event.time)
    ]
