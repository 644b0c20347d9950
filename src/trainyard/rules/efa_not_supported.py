"""EFA asked for on an instance type that has none."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes with ``efa: true`` whose type is known to have no EFA."""
    for group in spec.node_groups():
        for facts in map(find, group.instance_types):
            if group.efa and facts is not None and facts.has_efa is False:
                yield Problem((*group.path, "efa"), f"{facts.name} has no Elastic Fabric Adapter")


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups with efaEnabled of which a type is known to have no EFA."""
    for group in node_groups(document):
        for facts in group.facts:
            if group.uses_efa and facts.has_efa is False:
                message = f"{facts.name} of node group {group.name!r} has no Elastic Fabric Adapter"
                yield Problem((*group.path, "efaEnabled"), message)


RULE = Rule(
    severity="error",
    title="EFA on a type without it",
    rationale=(
        "The launch fails, or the nodes come up with plain networking and collectives run over TCP; eksctl asks EC2 "
        "and refuses the node group. Within one family it depends on the size: g5.8xlarge has EFA, g5.xlarge has not."
    ),
    remedy=(
        "remove efa, which is on by itself wherever the type has it, or choose a type that `trainyard instances` "
        "lists with EFA"
    ),
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    bad="""\
queues:
  - name: small-gpu
    instance_type: g5.xlarge
    efa: true
""",
    good="""\
queues:
  - name: small-gpu
    instance_type: g5.8xlarge
    efa: true
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-efa-not-supported",
    check_eksctl,
    remedy="remove efaEnabled, or choose a type that `trainyard instances` lists with EFA",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.xlarge, efaEnabled: true, privateNetworking: true}
""",
    good="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, efaEnabled: true, privateNetworking: true}
""",
)
