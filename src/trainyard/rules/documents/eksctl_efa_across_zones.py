"""EFA nodes in several zones or subnets, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups with efaEnabled that list several zones or several subnets."""
    for group in node_groups(document):
        for key, places in (("availabilityZones", group.zones), ("subnets", group.subnets)):
            if group.uses_efa and len(places) > 1:
                message = f"node group {group.name!r} has EFA and spreads over {', '.join(places)}"
                yield Problem((*group.path, key), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="EFA nodes across zones",
    rationale=(
        "EFA traffic does not leave its zone, and eksctl refuses node groups with efaEnabled that name more than one "
        "zone or subnet."
    ),
    remedy="name the one zone or subnet of these nodes",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a, us-east-2b]
""",
    good="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a]
""",
    check=check,
)
