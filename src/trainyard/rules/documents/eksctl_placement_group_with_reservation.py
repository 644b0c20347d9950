"""Self-managed EFA nodes of a reservation, which get a placement group, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_in, node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield self-managed node groups with EFA and a reservation that name no placement group of their own."""
    for group in node_groups(document):
        named = "groupName" in mapping_in(group.written, "placement")
        if not group.managed and group.uses_efa and group.reservation and not named:
            message = f"eksctl puts the EFA nodes of {group.name!r}, which target a reservation, into a placement group"
            yield Problem(group.path, message)


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    title="Placement group with a capacity reservation",
    rationale=(
        "For self-managed node groups with EFA eksctl always makes a cluster placement group. The reserved instances "
        "stand where the reservation put them, and those outside the new group cannot be had: of a reservation of 16, "
        "11 were. For managed node groups with a reservation it makes none."
    ),
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
    check=check,
)
