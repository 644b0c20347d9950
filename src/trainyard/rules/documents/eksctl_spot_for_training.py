"""Spot instances for nodes that work together, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield spot nodes with EFA, as a warning, and spot nodes of a reservation, as an error."""
    for group in node_groups(document):
        if group.written.get("spot") is not True and group.market != "spot":
            continue
        path = (*group.path, "spot") if "spot" in group.written else (*group.path, "instanceMarketOptions")
        if group.reservation:
            message = f"node group {group.name!r} is spot, and spot instances use no reservation"
            yield Problem(path, message, "remove spot, or the reservation", severity="error")
        elif group.uses_efa:
            yield Problem(path, f"node group {group.name!r} has EFA for jobs of several nodes, and is spot")


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    confidence="likely",
    title="Spot for nodes that work together",
    rationale=(
        "One spot instance that EC2 takes back, with two minutes' notice, ends a training job on all of its nodes. "
        "Reservations are for on-demand instances."
    ),
    remedy="remove spot, or let jobs resume from checkpoints that they write often",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    bad="""\
managedNodeGroups:
  - {name: g5, instanceType: g5.48xlarge, efaEnabled: true, privateNetworking: true, spot: true}
""",
    good="""\
managedNodeGroups:
  - {name: g5, instanceType: g5.48xlarge, efaEnabled: true, privateNetworking: true, spot: false}
""",
    check=check,
)
