"""A placement group around capacity that was reserved elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues that ask for a placement group and target a reservation or a group of them."""
    for group in spec.node_groups():
        if group.placement_group and group.capacity_kind in ("reservation", "reservation_group"):
            yield Problem(
                (*group.path, "placement_group"),
                f"queue {group.queue.name!r} targets a {group.capacity_kind.replace('_', ' ')} "
                "and launches into a placement group of its own",
            )


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield self-managed node groups with EFA and a reservation, which get a placement group unless they name one."""
    for group in node_groups(document):
        named = "groupName" in mapping_in(group.written, "placement")
        if not group.managed and group.uses_efa and group.reservation and not named:
            message = f"eksctl puts the EFA nodes of {group.name!r}, which target a reservation, into a placement group"
            yield Problem(group.path, message)


RULE = Rule(
    severity="warning",
    title="Placement group with a capacity reservation",
    rationale=(
        "ParallelCluster makes a new placement group for the queue, and eksctl for every self-managed node group with "
        "EFA. The reserved instances stand where the reservation put them, and where that is outside the new group "
        "EC2 reports insufficient capacity although the reservation has room: of 16 reserved instances, 11 were had. "
        "ParallelCluster warns (PlacementGroupCapacityReservationValidator), and refuses where the reservation was "
        "made in another placement group, which only AWS can tell."
    ),
    remedy=(
        "remove placement_group, or set it to false; a reservation that was made in a placement group keeps it anyway"
    ),
    source="https://github.com/aws/aws-parallelcluster/pull/7252",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {reservation: cr-0123456789abcdef0}
    placement_group: true
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {reservation: cr-0123456789abcdef0}
    placement_group: false
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-placement-group-with-reservation",
    check_eksctl,
    remedy="move it to managedNodeGroups, or name the reservation's own group in placement.groupName",
    source="https://github.com/eksctl-io/eksctl/issues/7949",
    bad="""\
nodeGroups:
  - name: p4de
    instanceType: p4de.24xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
""",
    good="""\
managedNodeGroups:
  - name: p4de
    instanceType: p4de.24xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
""",
)
