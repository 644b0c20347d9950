"""Properties of CloudFormation as parameters of the API, where both have the same names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import LogicalResource


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
