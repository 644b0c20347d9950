"""Capacity types that one queue cannot have side by side."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# Spot beside a reservation has a rule of its own, with its own remedy.
_TYPES = {"on-demand": "on-demand", "reservation": "on-demand", "reservation_group": "on-demand"}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues whose nodes need more than one of ParallelCluster's capacity types."""
    for index, queue in enumerate(spec.queues):
        kinds = {group.capacity_kind for group in spec.groups_in(queue)}
        if len({_TYPES.get(kind, kind) for kind in kinds}) > 1 and not _spot_beside_reserved(kinds):
            yield Problem(
                ("queues", index, "compute_resources"),
                f"queue {queue.name!r} mixes {' and '.join(sorted(kinds))} capacity",
            )


def _spot_beside_reserved(kinds: set[str]) -> bool:
    return "spot" in kinds and bool(kinds - {"spot", "on-demand"})


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Several capacity types in one queue",
    rationale=(
        "ParallelCluster gives a queue one CapacityType: ONDEMAND, SPOT or CAPACITY_BLOCK. Reservations count as "
        "ONDEMAND."
    ),
    remedy="make one queue for each",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-CapacityType",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    compute_resources:
      - {instance_type: p5.48xlarge, capacity: {capacity_block: cr-0123456789abcdef0}}
      - {instance_type: p4d.24xlarge}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {capacity_block: cr-0123456789abcdef0}
  - name: compute-a100
    instance_type: p4d.24xlarge
""",
    check=check,
)
