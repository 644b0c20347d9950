"""A reservation of one instance type for nodes of several."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_OTHER = "name the reservation of each type: `aws ec2 describe-capacity-reservations` lists them"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of several types that name one reservation or Capacity Block, in one compute resource or in two."""
    first: dict[str, NodeGroup] = {}
    for group in spec.node_groups():
        if (id_ := _reserved_id(group)) is None:
            continue
        earlier = first.setdefault(id_, group)
        if len(set(group.instance_types)) > 1:
            types = " or ".join(group.instance_types)
            message = f"queue {group.queue.name!r} draws {types} from one {group.capacity_kind.replace('_', ' ')}"
            yield Problem((*group.path, "instance_types"), message)
        elif group.instance_type not in earlier.instance_types:
            yield Problem((*group.path, "capacity"), _two_types(id_, earlier, group), _OTHER)


def _reserved_id(group: NodeGroup) -> str | None:
    capacity = group.capacity
    return capacity.reservation or capacity.capacity_block if isinstance(capacity, Reserved) else None


def _two_types(id_: str, first: NodeGroup, other: NodeGroup) -> str:
    return (
        f"queue {first.queue.name!r} takes {' or '.join(first.instance_types)} from {id_}, "
        f"and queue {other.queue.name!r} takes {other.instance_type}"
    )


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
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
