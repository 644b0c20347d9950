"""The target of a capacity reservation below a key that eksctl does not know, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Fix, Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import RESERVATION_KEYS, EksctlNodes, node_groups

_TARGET = ("capacityReservation", "capacityReservationTarget")


def check(document: Document) -> Iterator[Problem]:
    """Yield reservations whose id or group is written where eksctl does not look for it."""
    for group in node_groups(document):
        if any(key in group.reservation for key in RESERVATION_KEYS):
            continue
        for path, key in _candidates(group):
            yield Problem(
                path,
                f"eksctl drops {key}, so node group {group.name!r} gets an empty CapacityReservationTarget",
                f"write {_meant(key)}, with these capitals, below capacityReservation.capacityReservationTarget",
                fix=Fix(path, key=_meant(key)) if path[-2] == _TARGET[1] else None,
            )


def _candidates(group: EksctlNodes) -> Iterator[tuple[Path, str]]:
    """Yield keys of the target that are not its keys, and those of its keys that stand one level too high."""
    yield from (((*group.path, *_TARGET, key), key) for key in group.reservation)
    reservation = mapping_in(group.written, _TARGET[0])
    yield from (
        ((*group.path, _TARGET[0], key), key) for key in reservation if key.lower() in map(str.lower, RESERVATION_KEYS)
    )


def _meant(key: str) -> str:
    return RESERVATION_KEYS[1] if "group" in key.lower() or "arn" in key.lower() else RESERVATION_KEYS[0]


RULE = DocumentRule(
    severity="error",
    title="Reservation under a key that eksctl drops",
    rationale=(
        "The key ends in ID, in capitals, where CloudFormation's ends in Id. eksctl's parser does not tell "
        "capitals apart when it looks for unknown keys, and does when it reads them: it accepts the file and launches "
        "nodes without the reservation, which is paid for and stays empty."
    ),
    remedy="write capacityReservationID: cr-… or capacityReservationResourceGroupARN: arn:…",
    source="https://github.com/eksctl-io/eksctl/issues/8320",
    bad="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a]
    capacityReservation:
      capacityReservationTarget:
        capacityReservationId: cr-0123456789abcdef0
""",
    good="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a]
    capacityReservation:
      capacityReservationTarget:
        capacityReservationID: cr-0123456789abcdef0
""",
    check=check,
)
