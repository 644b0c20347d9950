"""Several instance types with EFA in one node group of Amazon EKS."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.efa import uses_efa
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield kinds of nodes with EFA that may be any of several instance types."""
    for group in spec.node_groups():
        types = dict.fromkeys(group.instance_types)
        if len(types) > 1 and any(uses_efa(name, group.efa) for name in types):
            message = f"queue {group.queue.name!r} has EFA on any of {', '.join(types)}"
            yield Problem((*group.path, "instance_types"), message)


RULE = Rule(
    severity="error",
    applies_to="made_by_eksctl",
    title="Several instance types with EFA in a node group",
    rationale=(
        "One launch template lists the network interfaces for all types of a node group. eksctl gives each as many as "
        "the type with the fewest cards has, and a job cannot say which of them it wants."
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
