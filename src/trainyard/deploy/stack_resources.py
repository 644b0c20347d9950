"""Says what a resource of a stack holds, and so what is lost where it is taken away."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

Holds = Literal["data", "link", "foundation", "nothing"]


class ResourceContents(NamedTuple):
    """What resources of one type hold."""

    holds: Holds
    what: str
    """What such a resource is, in a few words; empty where it holds nothing."""
    goes: str | None = None
    """Why no deletion policy keeps it, though it holds data; None where one does."""


def stack_resource(resource_type: str) -> ResourceContents:
    """Return what a type of CloudFormation holds. One that nobody has looked at counts as one with data."""
    return _by_type().get(resource_type) or ResourceContents("data", resource_type)


def is_listed(resource_type: str) -> bool:
    """Return whether somebody has looked at a type."""
    return resource_type in _by_type()


@cache
def _by_type() -> Mapping[str, ResourceContents]:
    with Path(__file__).with_suffix(".yaml").open("rb") as opened:
        file: Mapping[str, Any] = yaml.load(opened, Loader=yaml.CSafeLoader)
    holders = {
        name: ResourceContents(holds, **resource)
        for holds in ("data", "link", "foundation")
        for name, resource in file[holds].items()
    }
    return {**{name: ResourceContents("nothing", "") for name in file["nothing"]}, **holders}
