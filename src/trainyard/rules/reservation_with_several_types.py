"""A reservation of one instance type for nodes of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes that may be of several types and name one reservation or Capacity Block."""
    if spec.platform != "parallelcluster":
        return
    for group in spec.node_groups():
        kind = group.capacity_kind
        if len(set(group.instance_types)) > 1 and kind in ("reservation", "capacity_block"):
            types = " or ".join(group.instance_types)
            message = f"queue {group.queue.name!r} draws {types} from one {kind.replace('_', ' ')}"
            yield Problem((*group.path, "instance_types"), message)


RULE = Rule(
    severity="error",
    title="One reservation for several instance types",
    rationale=(
        "A capacity reservation holds instances of one type. ParallelCluster launches nodes of several types through "
        "EC2 Fleet, which takes no id of a reservation, and refuses the queue (CapacityReservationValidator)."
    ),
    remedy="write the reserved type as instance_type, or give a reservation_group that holds one for each type",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-odcr-v3.html",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_types: [p5.48xlarge, p5e.48xlarge]
    nodes: {min: 0, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
""",
    check=check,
)
