"""Several large nodes without their EFA, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import EksctlNodes, node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield groups of several nodes with several network cards for which efaEnabled was not written."""
    for group in node_groups(document):
        large = next((facts for facts in group.facts if facts.has_efa and facts.multi_card), None)
        if large is not None and not group.uses_efa and _may_be_several(group):
            speed = f" with its {large.efa_gbit_s:,} Gbit/s" if large.efa_gbit_s else ""
            yield Problem(group.path, f"node group {group.name!r} leaves the EFA of {large.name}{speed} unused")


def _may_be_several(group: EksctlNodes) -> bool:
    sizes = (group.written.get(key) for key in ("maxSize", "desiredCapacity", "minSize"))
    return max((size for size in sizes if isinstance(size, int)), default=2) > 1


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    confidence="likely",
    title="EFA not switched on",
    rationale=(
        "eksctl adds no EFA by itself. Without it NCCL falls back to TCP sockets between the nodes: jobs run, and run "
        "several times slower, while the nodes cost the same."
    ),
    remedy="write efaEnabled: true and privateNetworking: true",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    bad="""\
managedNodeGroups:
  - {name: p4d, instanceType: p4d.24xlarge, desiredCapacity: 2, privateNetworking: true}
""",
    good="""\
managedNodeGroups:
  - name: p4d
    instanceType: p4d.24xlarge
    desiredCapacity: 2
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
    check=check,
)
