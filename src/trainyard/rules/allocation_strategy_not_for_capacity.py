"""A strategy for choosing among instance types that the capacity of the queue does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-AllocationStrategy
_ON_DEMAND = ("lowest-price", "prioritized")
_SPOT = ("lowest-price", "capacity-optimized", "price-capacity-optimized", "capacity-optimized-prioritized")
_OFFERED = {"on-demand": _ON_DEMAND, "reservation": _ON_DEMAND, "reservation_group": _ON_DEMAND, "spot": _SPOT}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues whose allocation strategy some of their nodes' capacity does not have."""
    for index, queue in enumerate(spec.queues):
        for kind in dict.fromkeys(group.capacity_kind for group in spec.groups_in(queue)):
            offered = _OFFERED.get(kind, ())
            if queue.allocation_strategy is not None and queue.allocation_strategy not in offered:
                words = kind.replace("_", " ")
                yield Problem(
                    ("queues", index, "allocation_strategy"),
                    f"queue {queue.name!r} cannot use {queue.allocation_strategy} with {words} capacity",
                    f"choose {' or '.join(offered)}" if offered else "remove allocation_strategy",
                )


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Allocation strategy that the capacity does not have",
    rationale=(
        "On-demand capacity comes at the lowest price or in the order of the list; what is least likely to be taken "
        "away is a question for spot only; and a Capacity Block leaves nothing to choose. ParallelCluster refuses any "
        "other pair (InstancesAllocationStrategyValidator)."
    ),
    remedy="choose a strategy of that capacity, or remove the key",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-AllocationStrategy",
    bad="""\
queues:
  - name: inference-gpu
    instance_types: [g5.12xlarge, g6.12xlarge]
    nodes: {min: 0, max: 8}
    capacity: on-demand
    allocation_strategy: capacity-optimized
""",
    good="""\
queues:
  - name: preprocess
    instance_type: m5.8xlarge
    availability_zone: [us-east-2a, us-east-2b]
    nodes: {min: 0, max: 8}
    capacity: spot
    allocation_strategy: capacity-optimized
""",
    check=check,
)
