"""What cluster.yaml says about part of a spec."""

from __future__ import annotations

from typing import Any

from tests.specs import spec_of
from trainyard.render.rendering import render


def cluster(part: str = "", **outputs: str) -> dict[str, Any]:
    """Return the whole configuration."""
    found: dict[str, Any] = render(spec_of(part), outputs).documents["cluster.yaml"]
    return found


def queue(part: str) -> dict[str, Any]:
    """Return its first queue."""
    found: dict[str, Any] = cluster(part)["Scheduling"]["SlurmQueues"][0]
    return found


def resource(part: str) -> dict[str, Any]:
    """Return the first compute resource of its first queue."""
    found: dict[str, Any] = queue(part)["ComputeResources"][0]
    return found
