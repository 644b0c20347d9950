"""EFA asked for on an instance type that has none, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups with efaEnabled of which a type is known to have no EFA."""
    for group in node_groups(document):
        for facts in group.facts:
            if group.uses_efa and facts.has_efa is False:
                message = f"{facts.name} of node group {group.name!r} has no Elastic Fabric Adapter"
                yield Problem((*group.path, "efaEnabled"), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="EFA on a type without it",
    rationale=(
        "eksctl asks EC2 and refuses the node group. Within one family it depends on the size: g5.8xlarge has EFA, "
        "g5.xlarge has not."
    ),
    remedy="remove efaEnabled, or choose a type that `trainyard instances` lists with EFA",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.xlarge, efaEnabled: true, privateNetworking: true}
""",
    good="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, efaEnabled: true, privateNetworking: true}
""",
    check=check,
)
