"""Capacity of a Capacity Block that is written as something else."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield types that are sold in Capacity Blocks only and have other capacity, and blocks called a reservation."""
    yield from _other_capacity(spec)
    yield from _two_names(spec)


def _other_capacity(spec: Spec) -> Iterator[Problem]:
    for group in spec.node_groups():
        for name in group.instance_types:
            if group.capacity_kind != "capacity_block" and comes_in_blocks(name):
                message = (
                    f"{name} comes in Capacity Blocks only, and queue {group.queue.name!r} has "
                    f"{group.capacity_kind.replace('_', ' ')} capacity"
                )
                yield Problem((*group.path, "capacity"), message)


def comes_in_blocks(name: str) -> bool:
    """Return whether a type is sold in UltraServers, which are offered through Capacity Blocks.

    https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html
    """
    facts = find(name)
    return facts is not None and facts.ultraserver_instances is not None


def _two_names(spec: Spec) -> Iterator[Problem]:
    reserved = [(group, group.capacity) for group in spec.node_groups() if isinstance(group.capacity, Reserved)]
    blocks = {capacity.capacity_block: group.queue.name for group, capacity in reserved if capacity.capacity_block}
    for group, capacity in reserved:
        if capacity.reservation in blocks:
            yield Problem(
                (*group.path, "capacity", "reservation"),
                f"{capacity.reservation} is a reservation in queue {group.queue.name!r} and a Capacity Block "
                f"in queue {blocks[capacity.reservation]!r}",
                "find out which it is, with `aws ec2 describe-capacity-reservations`, and write the same in both",
            )


RULE = Rule(
    severity="error",
    title="Capacity Block under another name",
    rationale=(
        "A Capacity Block is launched into in its own way: ParallelCluster needs CapacityType CAPACITY_BLOCK for it, "
        "and ONDEMAND for a reservation, although both have ids that begin with cr-. Types of "
        "UltraServers come in Capacity Blocks only."
    ),
    remedy="write capacity: {capacity_block: cr-…}",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: training
    instance_type: p5.48xlarge
    nodes: 4
    capacity: {capacity_block: cr-0123456789abcdef0}
  - name: debugging
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 1}
    capacity: {reservation: cr-0123456789abcdef0}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: training
    instance_type: p5.48xlarge
    nodes: 4
    capacity: {capacity_block: cr-0123456789abcdef0}
  - name: debugging
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 1}
    capacity: {reservation: cr-0123456789abcdef1}
""",
    check=check,
)
