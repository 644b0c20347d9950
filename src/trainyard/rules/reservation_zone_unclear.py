"""Reserved capacity, which lies in one zone, beside no zone or the wrong number of them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import RESERVATION_KEYS, node_groups
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of a reservation whose zone is not named, or named twice, in one queue or in two."""
    first: dict[str, tuple[str, str]] = {}
    for group in spec.node_groups():
        if (id_ := _reserved_id(group)) is None:
            continue
        zones = _zones(spec, group)
        if zones is None:
            yield from _several_subnets(spec, group, id_)
        elif len(zones) == 1:
            queue, zone = first.setdefault(id_, (group.queue.name, zones[0]))
            if zone != zones[0] and _lies_in_one_zone(group):
                message = f"{id_} is used in {zone} by queue {queue!r} and in {zones[0]} by queue {group.queue.name!r}"
                yield Problem((*group.path[:2], "availability_zone"), message)
        elif not zones:
            message = f"queue {group.queue.name!r} uses {id_}, and no zone is named"
            yield Problem((*group.path, "capacity"), message, severity="warning")
        elif _lies_in_one_zone(group):
            message = f"queue {group.queue.name!r} uses {id_}, which lies in one of {', '.join(zones)} only"
            yield Problem((*group.path[:2], "availability_zone"), message)


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups of one reservation that name no zone and no subnet, or several of them."""
    for group in node_groups(document):
        reservation = group.reservation.get(RESERVATION_KEYS[0])
        # With EFA, several zones are refused by eksctl itself, which has a rule of its own.
        several = max(len(set(group.zones)), len(set(group.subnets))) > 1 and not group.uses_efa
        if not isinstance(reservation, str) or ((group.zones or group.subnets) and not several):
            continue
        where = ", ".join((*group.zones, *group.subnets)) or "no zone or subnet"
        yield Problem(group.path, f"node group {group.name!r} uses {reservation} and names {where}")


def _reserved_id(group: NodeGroup) -> str | None:
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return None
    return ", ".join(capacity.reservations) if capacity.reservations else str(getattr(capacity, capacity.kind))


def _lies_in_one_zone(group: NodeGroup) -> bool:
    """Return whether the capacity is one reservation. A group of them may reach over zones."""
    return group.capacity_kind != "reservation_group"


def _zones(spec: Spec, group: NodeGroup) -> tuple[str, ...] | None:
    """Return the different zones that are written for some nodes, None where their subnets decide."""
    if spec.network.existing is not None or group.queue.subnet not in ("private", "public"):
        return None
    zones = group.queue.zones if group.queue.subnet == "private" else ()
    fallback = () if spec.network.availability_zone is None else (spec.network.availability_zone,)
    return tuple(dict.fromkeys(zones or fallback))


def _several_subnets(spec: Spec, group: NodeGroup, id_: str) -> Iterator[Problem]:
    existing, choice = spec.network.existing, group.queue.subnet
    if existing is None or choice not in ("private", "public") or not _lies_in_one_zone(group):
        return
    subnets = existing.private_subnets if choice == "private" else existing.public_subnets
    if len(subnets) > 1:
        yield Problem(
            (*group.path[:2], "subnet"),
            f"queue {group.queue.name!r} uses {id_} and draws on {len(subnets)} subnets",
            f"name the one subnet in the reservation's zone, such as subnet: {subnets[0]}",
        )


RULE = Rule(
    severity="error",
    confidence="possible",
    title="Zone of a reservation that is not clear",
    rationale=(
        "A capacity reservation or Capacity Block lies in one zone, and only nodes in that zone get its instances. "
        "ParallelCluster refuses a subnet in another zone, and several subnets (CapacityReservationValidator). Where "
        "none is named, the network may be made in another zone, and eksctl takes every subnet of the cluster, or with "
        "EFA any one of them."
    ),
    remedy="write the reservation's zone as availability_zone, of the network or of the queue",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 4}
    availability_zone: us-east-2a
    capacity: {reservation: cr-0123456789abcdef0}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-reservation-zone-unclear",
    check_eksctl,
    severity="warning",
    remedy="write availabilityZones: [the reservation's zone], or subnets: [a subnet in it]",
    bad="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
""",
    good="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a]
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
""",
)
