"""A type on which eksctl's own network interfaces do not fit, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.interfaces import eksctl_interfaces, misfits
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups with efaEnabled whose type cannot carry an EFA with an address on every card."""
    for group in node_groups(document):
        for facts in group.facts:
            if not group.uses_efa or not facts.has_efa or facts.cards is None:
                continue
            if reasons := misfits(facts, eksctl_interfaces(facts)):
                message = f"efaEnabled puts an EFA on every card of {facts.name}, and {reasons[0]}"
                yield Problem((*group.path, "efaEnabled"), message)


RULE = DocumentRule(
    severity="error",
    title="EFA interfaces that do not fit the type",
    rationale=(
        "With efaEnabled, eksctl launches with an interface of kind efa on every network card, the first one "
        "included. Where the first card takes no EFA, or a card holds a single interface, EC2 refuses the launch and "
        "the node group stays empty."
    ),
    remedy="give the node group a launch template of its own: `trainyard instances TYPE` has the interfaces for EKS",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/network_interfaces.go",
    bad="""\
managedNodeGroups:
  - name: p6
    instanceType: p6-b300.48xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
    good="""\
managedNodeGroups:
  - name: p6
    launchTemplate: {id: lt-0123456789abcdef0, version: "1"}
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
    check=check,
)
