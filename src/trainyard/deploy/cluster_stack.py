"""The stack that is the cluster itself: ParallelCluster's bears its name, that of Batch is one of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec


def cluster_stack(spec: Spec) -> str:
    """Return its name."""
    return batch_stack(spec.name) if spec.platform == "batch" else spec.name


def batch_stack(name: str) -> str:
    """Return the name of the stack of a cluster of AWS Batch."""
    return f"{name}-batch"
