"""Nodes of Amazon EKS that are to start at once, on a Capacity Block that may not have begun."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of a Capacity Block of which some are wanted from the beginning."""
    for group in spec.node_groups():
        if group.capacity_kind == "capacity_block" and group.desired_nodes > 0:
            message = f"{group.desired_nodes} nodes of queue {group.queue.name!r} start with the cluster"
            remedy = f"before the block begins, write nodes: {{min: 0, max: {group.max_nodes}}}, and raise it then"
            yield Problem((*group.path, "nodes"), message, remedy)


RULE = Rule(
    severity="info",
    confidence="possible",
    applies_to="made_by_eksctl",
    title="Nodes that may start before their Capacity Block",
    rationale=(
        "A block has its instances from its first hour to half an hour before its end. A node group that wants nodes "
        "earlier gets none, and EKS gives up making it."
    ),
    remedy="start with 0 nodes until the block begins",
    source="https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - name: gpu
    instance_type: p5.48xlarge
    nodes: 4
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - name: gpu
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 4}
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    check=check,
)
