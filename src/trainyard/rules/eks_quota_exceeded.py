"""More node groups, nodes or address ranges than Amazon EKS gives a new account."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the first node group beyond the quota, node groups that are too large, and ranges beyond a fixed limit."""
    limits, groups = eks_limits(), tuple(spec.node_groups())
    # The system nodes are one.
    most_groups = limits.managed_node_groups - 1
    if len(groups) > most_groups:
        group = groups[most_groups]
        message = f"queue {group.queue.name!r} holds node group {most_groups + 2}, and an account begins with "
        yield Problem(group.path, f"{message}{limits.managed_node_groups} for each cluster")
    most_nodes = limits.nodes_of_managed_node_group
    for group in groups:
        if group.max_nodes > most_nodes:
            message = f"queue {group.queue.name!r} may have {group.max_nodes:,} nodes, and a node group {most_nodes}"
            remedy = f"ask AWS to raise the quota, or make queues of at most {most_nodes} nodes"
            yield Problem((*group.path, "nodes"), message, remedy)
    ranges = spec.access.allow_from
    if len(ranges) > limits.public_ranges and spec.eks.endpoint != "private":
        path = ("access", "allow_from", limits.public_ranges)
        message = f"{ranges[limits.public_ranges]} is number {limits.public_ranges + 1} of the ranges, and EKS takes "
        yield Problem(path, f"{message}{limits.public_ranges}", "join ranges that lie side by side", "error")


RULE = Rule(
    severity="warning",
    applies_to="made_by_eksctl",
    title="More than an account of EKS begins with",
    rationale=(
        "EKS refuses what goes beyond a quota while eksctl makes the cluster. The quotas of node groups and of their "
        "nodes can be raised; that of address ranges cannot."
    ),
    remedy="ask AWS to raise the quota before you deploy",
    source="https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 512}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues:
  - {name: gpu-1, instance_type: p5.48xlarge, nodes: 256}
  - {name: gpu-2, instance_type: p5.48xlarge, nodes: 256}
""",
    check=check,
)
