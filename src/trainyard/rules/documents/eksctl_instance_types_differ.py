"""Several instance types with EFA in one node group, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups with EFA whose types are known to have different numbers of network cards or chips."""
    for group in node_groups(document):
        kinds = {facts.name: (facts.network_card_count, facts.gpu_count, facts.neuron_count) for facts in group.facts}
        if group.uses_efa and len(set(kinds.values())) > 1:
            message = f"node group {group.name!r} has EFA on any of {', '.join(kinds)}"
            yield Problem(group.path, message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Instance types that differ, with EFA",
    rationale=(
        "One launch template serves all types of a node group, and its interfaces fit the type with the fewest "
        "network cards: the others lose bandwidth. Jobs of several nodes also count on the same chips in each."
    ),
    remedy="make a node group of each type",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/network_interfaces.go",
    bad="""\
managedNodeGroups:
  - name: gpu
    instanceTypes: [p4d.24xlarge, p5.48xlarge]
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
    good="""\
managedNodeGroups:
  - name: gpu
    instanceTypes: [p4d.24xlarge]
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
    check=check,
)
