"""What comparing the parts of an EKS cluster shows, where nobody says it: a line for each thing that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainyard.catalog.instances import find
from trainyard.edge.kubernetes.documents import Document, labels, number, parts, text
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts
from trainyard.platforms.eks.diagnosis.kubernetes_evidence import line

BEGINNING = "eks check: "
"""What lines begin with that nobody but us writes."""
_TYPE_LABEL = "node.kubernetes.io/instance-type"
_RESOURCES = {"nvidia": "nvidia.com/gpu", "aws": "aws.amazon.com/neuron"}
_JOINS_WITHIN_S = 900
_MOST = 20


def not_joined(facts: EksFacts, nodes: Sequence[Document]) -> Iterator[str]:
    """Yield the instances that run for longer than joining takes, and that Kubernetes does not know."""
    known = {text(one, "spec", "providerID").rpartition("/")[2] for one in nodes}
    now_s = facts.account.clock.now()
    for one in facts.instances[:_MOST]:
        age_s = now_s - one["LaunchTime"].timestamp() if "LaunchTime" in one else 0
        if one["State"]["Name"] == "running" and one["InstanceId"] not in known and age_s > _JOINS_WITHIN_S:
            minutes = f"{age_s / 60:.0f} minutes"
            what = f"Instances failed to join the kubernetes cluster: {one['InstanceId']} runs for {minutes}"
            yield line("", one.get("PrivateDnsName", ""), f"{BEGINNING}{what}")


def missing_devices(nodes: Iterable[Document]) -> Iterator[str]:
    """Yield the nodes that are ready and offer fewer accelerators than their instance type has."""
    for one in nodes:
        type_facts = find(text(labels(one), _TYPE_LABEL))
        if type_facts is None or type_facts.accelerators is None or not _is_ready(one):
            continue
        resource = _RESOURCES[type_facts.accelerators.vendor]
        there = number(one, "status", "allocatable", resource)
        if there < type_facts.accelerators.count:
            name = text(one, "metadata", "name")
            what = f"node {name} offers {there} {resource} of the {type_facts.accelerators.count} of {type_facts.name}"
            yield line("", name, f"{BEGINNING}{what}")


def _is_ready(node: Document) -> bool:
    conditions = parts(node, "status", "conditions")
    return any(text(one, "type") == "Ready" and text(one, "status") == "True" for one in conditions)
