"""A node group of Amazon EKS that begins without nodes, and that nothing fills."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of which none is wanted at first. A Capacity Block may be yet to begin."""
    if "autoScaler" in spec.eks.node_policies:
        return
    for group in spec.node_groups():
        if group.desired_nodes == 0 and group.capacity_kind != "capacity_block":
            message = f"queue {group.queue.name!r} begins with 0 of {group.max_nodes} nodes, and nothing starts more"
            remedy = (
                f"write nodes: {{min: 0, max: {group.max_nodes}, desired: {group.max_nodes}}}, or scale it yourself"
            )
            yield Problem((*group.path, "nodes"), message, remedy)


RULE = Rule(
    severity="info",
    confidence="likely",
    applies_to="made_by_eksctl",
    title="Nodes that nothing starts",
    rationale=(
        "EKS keeps the number of nodes that it was told, and does not look at jobs: their pods stay Pending until "
        "somebody scales the node group, or an autoscaler that you install does."
    ),
    remedy="write how many nodes there are at first as desired",
    source="https://docs.aws.amazon.com/eks/latest/userguide/autoscaling.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: g5.8xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_type: g5.8xlarge, nodes: {min: 0, max: 4, desired: 4}}]
""",
    check=check,
)
