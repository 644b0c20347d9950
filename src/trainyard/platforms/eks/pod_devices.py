"""Which pods have accelerators or EFA interfaces of a node, or wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.edge.kubernetes.documents import part, parts, text

# The devices of job_pod.py, and those that other plugins and sharing give names of their own: neuroncore, mig-1g.10gb.
# https://docs.aws.amazon.com/eks/latest/userguide/device-management.html
_BEGINNINGS = ("nvidia.com/", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa")
_OVER = ("Succeeded", "Failed")


def has_devices(pod: Mapping[str, Any]) -> bool:
    """Return whether a pod that is not over has devices, or waits for them."""
    if text(dict(pod), "status", "phase") in _OVER:
        return False
    containers = parts(dict(pod), "spec", "containers")
    return any(
        resource.startswith(_BEGINNINGS)
        for container in containers
        for amounts in ("requests", "limits")
        for resource in part(container, "resources", amounts)
    )
