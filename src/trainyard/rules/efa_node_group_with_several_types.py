"""Several instance types with EFA in one node group of Amazon EKS."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import uses_efa
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield kinds of nodes with EFA that may be any of several instance types."""
    for group in spec.node_groups():
        types = dict.fromkeys(group.instance_types)
        if len(types) > 1 and any(uses_efa(name, group.efa) for name in types):
            message = f"queue {group.queue.name!r} has EFA on any of {', '.join(types)}"
            yield Problem((*group.path, "instance_types"), message)


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups with EFA whose types are known to have different numbers of network cards or chips."""
    for group in node_groups(document):
        kinds = {facts.name: (facts.network_card_count, facts.gpu_count, facts.neuron_count) for facts in group.facts}
        if group.uses_efa and len(set(kinds.values())) > 1:
            yield Problem(group.path, f"node group {group.name!r} has EFA on any of {', '.join(kinds)}")


RULE = Rule(
    severity="error",
    applies_to="made_by_eksctl",
    title="Several instance types with EFA in a node group",
    rationale=(
        "One launch template lists the network interfaces for all types of a node group. eksctl gives each as many as "
        "the type with the fewest cards has: the others lose bandwidth, and a job cannot say which of them it wants or "
        "count on the same chips in each node."
    ),
    remedy="make a queue of each type, or write efa: false",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/network_interfaces.go",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues: [{name: gpu, instance_types: [p4d.24xlarge, p4de.24xlarge], nodes: 2}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
queues:
  - {name: p4d, instance_type: p4d.24xlarge, nodes: 2}
  - {name: p4de, instance_type: p4de.24xlarge, nodes: 2}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-instance-types-differ",
    check_eksctl,
    remedy="make a node group of each type",
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
)
