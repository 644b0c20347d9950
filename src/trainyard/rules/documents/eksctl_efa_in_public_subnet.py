"""EFA nodes with several network cards and no private networking, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups that get an interface on each of several cards, and stand in public subnets."""
    for group in node_groups(document):
        several = next((facts for facts in group.facts if facts.multi_card), None)
        if group.uses_efa and several is not None and group.written.get("privateNetworking") is not True:
            cards = f"{several.name}, launched with {several.network_card_count} interfaces,"
            message = f"node group {group.name!r} puts {cards} into a public subnet"
            yield Problem((*group.path, "efaEnabled"), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Several network interfaces in a public subnet",
    rationale=(
        "Without privateNetworking eksctl takes public subnets, and EC2 gives no public address to an instance that "
        "is launched with several network interfaces: the nodes reach neither the internet nor the cluster, and do "
        "not join it."
    ),
    remedy="write privateNetworking: true",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    bad="""\
managedNodeGroups:
  - {name: p5, instanceType: p5.48xlarge, efaEnabled: true, availabilityZones: [us-east-2a]}
""",
    good="""\
managedNodeGroups:
  - {name: p5, instanceType: p5.48xlarge, efaEnabled: true, privateNetworking: true, availabilityZones: [us-east-2a]}
""",
    check=check,
)
