"""A placement group around a Capacity Block, which has its place already."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues that ask for a placement group and use a Capacity Block."""
    for group in spec.node_groups():
        if group.placement_group and group.capacity_kind == "capacity_block":
            path = (*group.path, "placement_group")
            message = f"queue {group.queue.name!r} uses a Capacity Block and launches into a placement group"
            yield Problem(path, message, fix=Fix(path, value=False))


RULE = Rule(
    severity="warning",
    title="Placement group with a Capacity Block",
    rationale=(
        "The instances of a Capacity Block already stand together in an EC2 UltraCluster. A placement group on top "
        "can only make launches fail. It is not forbidden: ParallelCluster warns "
        "(PlacementGroupCapacityTypeValidator)."
    ),
    remedy="remove placement_group, or set it to false",
    source="https://github.com/aws/aws-parallelcluster/pull/6311",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {capacity_block: cr-0123456789abcdef0}
    placement_group: true
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    check=check,
)
