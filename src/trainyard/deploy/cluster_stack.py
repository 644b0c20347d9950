"""The stack that is the cluster: ParallelCluster's bears its name, that of Batch is ours, that of EKS is eksctl's."""

from __future__ import annotations

from trainyard.spec.cluster import Spec


def cluster_stack(spec: Spec) -> str:
    """Return its name."""
    match spec.platform:
        case "batch":
            return batch_stack(spec.name)
        case "eks":
            return eksctl_stack(spec.name)
        case _:
            return spec.name


def batch_stack(name: str) -> str:
    """Return the name of the stack of a cluster of AWS Batch."""
    return f"{name}-batch"


def eksctl_stack(name: str) -> str:
    """Return the name of the stack that eksctl makes of the control plane of a cluster of Amazon EKS."""
    return f"eksctl-{name}-cluster"
