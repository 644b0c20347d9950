"""A reservation whose node group may start in several zones, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.documents.eksctl_reservation_key_misspelt import KEYS
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups of one reservation that name no zone and no subnet, or several of them."""
    for group in node_groups(document):
        reservation = group.reservation.get(KEYS[0])
        # With EFA, several zones are refused by eksctl itself, which has a rule of its own.
        several = max(len(set(group.zones)), len(set(group.subnets))) > 1 and not group.uses_efa
        if not isinstance(reservation, str) or ((group.zones or group.subnets) and not several):
            continue
        where = ", ".join((*group.zones, *group.subnets)) or "no zone or subnet"
        yield Problem(group.path, f"node group {group.name!r} uses {reservation} and names {where}")


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    confidence="possible",
    title="Zone of a reservation that is not clear",
    rationale=(
        "A reservation or Capacity Block lies in one zone, and instances in other zones do not get it. Where the node "
        "group names no zone, eksctl takes every subnet of the cluster, or with EFA any one of them."
    ),
    remedy="write availabilityZones: [the reservation's zone], or subnets: [a subnet in it]",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
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
    check=check,
)
