"""Nodes with several network interfaces in a subnet that relies on public addresses."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find, uses_efa
from trainyard.catalog.interfaces import interface_plan
from trainyard.document.node import Document
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes that are launched with several interfaces although their queue stands in a public subnet."""
    for group in spec.node_groups():
        if is_public(spec, group.queue.subnet) and (count := interface_count(spec, group)) > 1:
            yield Problem(
                (*group.path[:2], "subnet"),
                f"queue {group.queue.name!r} puts {group.instance_type} ({count} interfaces) into a public subnet",
            )


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups that get an interface on each of several cards, and stand in public subnets."""
    for group in node_groups(document):
        facts = next((facts for facts in group.facts if facts.multi_card), None)
        if group.uses_efa and facts is not None and group.written.get("privateNetworking") is not True:
            cards = f"{facts.name}, launched with {facts.network_card_count} interfaces,"
            message = f"node group {group.name!r} puts {cards} into a public subnet"
            yield Problem((*group.path, "efaEnabled"), message)


def is_public(spec: Spec, subnet: str) -> bool:
    """Return whether a subnet is a public one, by kind or by its id."""
    existing = spec.network.existing
    return subnet == "public" or (existing is not None and subnet in existing.public_subnets)


def interface_count(spec: Spec, group: NodeGroup) -> int:
    """Return how many interfaces nodes are launched with. Of several types, the one with the fewest decides."""
    return min(_interfaces_of(spec, group, name) for name in group.instance_types)


def _interfaces_of(spec: Spec, group: NodeGroup, name: str) -> int:
    facts, layout = find(name), platform_of(spec).interface_layout
    if facts is None or layout is None or facts.cards is None or facts.has_efa is None:
        return 0
    efa = facts.has_efa and uses_efa(group.instance_type, group.efa)
    return len(interface_plan(facts, layout, efa=efa).interfaces)


RULE = Rule(
    severity="error",
    title="Several network interfaces in a public subnet",
    rationale=(
        "EC2 gives no public address to an instance that is launched with several network interfaces: one for each "
        "network card, and one more for EFA on the first. In a public subnet, which eksctl takes "
        "without privateNetworking, such a node reaches neither the internet nor the AWS services that it needs to "
        "come up, and does not join; ParallelCluster replaces it until the cluster enters protected mode."
    ),
    remedy="use subnet: private, which reaches the internet through NAT or services through endpoints",
    source="https://github.com/aws/aws-parallelcluster/pull/7457",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    subnet: public
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    subnet: private
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-efa-in-public-subnet",
    check_eksctl,
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
)
