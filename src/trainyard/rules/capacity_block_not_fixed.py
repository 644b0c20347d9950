"""A Capacity Block for a number of nodes that is not fixed."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of a Capacity Block whose number may vary. Batch starts them as jobs need them."""
    for group in spec.node_groups():
        if group.capacity_kind == "capacity_block" and group.min_nodes != group.max_nodes:
            problem = (
                f"queue {group.queue.name!r} runs {group.min_nodes} to {group.max_nodes} nodes on a Capacity Block"
            )
            yield Problem(
                (*group.path, "nodes"), problem, f"write nodes: {group.max_nodes}, as many as the block holds"
            )


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Capacity Block without a fixed number of nodes",
    rationale=(
        "A Capacity Block is paid for as a whole, whether its instances run or not. ParallelCluster starts all of "
        "them when it begins, and demands a minimum equal to the maximum."
    ),
    remedy="write one number of nodes, as many as the block holds",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p6-b200.48xlarge
    nodes: {min: 0, max: 8}
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p6-b200.48xlarge
    nodes: 8
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    check=check,
)
