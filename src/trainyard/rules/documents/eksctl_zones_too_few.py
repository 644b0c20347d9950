"""A cluster with one zone, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_at, mapping_in, texts_in


def check(document: Document) -> Iterator[Problem]:
    """Yield lists of one zone, and existing networks of which a single subnet is named."""
    zones = texts_in(mapping_at(document), "availabilityZones")
    if len(set(zones)) == 1:
        yield Problem(("availabilityZones",), f"the cluster has one zone, {zones[0]}, and EKS wants two")
    subnets = mapping_at(document, "vpc", "subnets")
    named = [name for kind in ("private", "public") for name in mapping_in(subnets, kind)]
    if len(named) == 1:
        yield Problem(("vpc", "subnets"), f"the cluster has one subnet, {named[0]}, and EKS wants two in two zones")


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Cluster with a single zone",
    rationale=(
        "The control plane of EKS has network interfaces in two zones at least, and eksctl refuses a list of one. "
        "Node groups may stand in one zone all the same."
    ),
    remedy="name a second zone for the cluster, and the one zone of its nodes in the node group",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    bad="""\
availabilityZones: [us-east-2a]
""",
    good="""\
availabilityZones: [us-east-2a, us-east-2b]
""",
    check=check,
)
