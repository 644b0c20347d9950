"""A resource of CloudFormation as its type sees it: logical in the template, physical in the account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Aws(Protocol):
    """The emulated account, seen from inside: calls answer at once and never leave the process."""

    account_id: str
    region: str

    def client(self, service: str) -> Any:
        """Return botocore's client of a service."""


@dataclass(frozen=True, slots=True)
class LogicalResource:
    """A resource of a template, with every function resolved."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]
    """Tags of the stack are among its Tags, where the type has any."""
    name: str
    """A name that CloudFormation would make up: stack, logical id and a random part."""
    stack_name: str
    stack_id: str

    def tags(self) -> list[dict[str, str]]:
        """Return the tags of the stack and of the template, as Key and Value.

        https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
        """
        written = self.properties.get("Tags") or []
        pairs = written.items() if isinstance(written, dict) else ((tag["Key"], tag["Value"]) for tag in written)
        return [{"Key": key, "Value": str(value)} for key, value in pairs]


@dataclass(slots=True)
class PhysicalResource:
    """A resource that exists."""

    id: str
    """What Ref gives."""
    attributes: dict[str, Any] = field(default_factory=dict)
    """What Fn::GetAtt gives; a nested attribute has its dotted name."""
    logical: LogicalResource | None = None
    """What it was made from; the engine fills it in."""
    model: Any = None
    """Moto's object, where moto's model made it."""


@dataclass(frozen=True, slots=True)
class ResourceType:
    """How resources of one type are made, changed and deleted through the account's own API."""

    create: Callable[[Aws, LogicalResource], PhysicalResource]
    delete: Callable[[Aws, PhysicalResource], None]
    update: Callable[[Aws, PhysicalResource, LogicalResource], PhysicalResource] | None = None
    """None where nothing but tags can change in place."""
    snapshot: Callable[[Aws, PhysicalResource], None] | None = None
    """Makes what outlives the resource; None for a type that has no snapshots."""
    read: Callable[[Aws, PhysicalResource], Mapping[str, Any] | None] | None = None
    """Returns properties as they are in the account, by their names in templates, None of what is gone; for drift."""


class ResourceError(Exception):
    """A resource could not be made, changed or deleted, for this reason."""

    def __init__(self, reason: str, physical: PhysicalResource | None = None) -> None:
        """Keep what was made of it all the same: it goes when the stack goes."""
        super().__init__(reason)
        self.physical = physical


def written_properties(properties: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return those of the properties that were written."""
    return {name: properties[name] for name in names if name in properties}


def tag_specifications(kind: str, resource: LogicalResource) -> dict[str, Any]:
    """Return the parameter with which EC2 takes tags; empty where there are none."""
    tags = resource.tags()
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]} if tags else {}


def with_tags(resource: LogicalResource) -> dict[str, Any]:
    """Return the parameter with which most other services take tags; empty where there are none."""
    tags = resource.tags()
    return {"Tags": tags} if tags else {}
