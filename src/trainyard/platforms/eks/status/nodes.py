"""The nodes of a cluster as Kubernetes knows them, and whether they offer the devices that their instances have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import interface_plan
from trainyard.edge.kubernetes.documents import Document, labels, number, part, parts, text
from trainyard.errors import TrainyardError
from trainyard.foreign_text import reason_and_message, word_or_quoted
from trainyard.platforms.eks.rendering.job_pods import INSTANCE_TYPE
from trainyard.platforms.eks.rendering.names import EFA
from trainyard.platforms.eks.status.eks_status import Devices, KubernetesNode
from trainyard.render.job_pod import EFA_INTERFACES, GPUS, NEURON_CHIPS

# Of nodes that EKS manages: https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html; of eksctl's own.
_GROUP_LABELS = ("eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name")
# What is bad where it is True. https://kubernetes.io/docs/reference/node/node-status/#condition
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
# What EKS's monitoring agent says: bad where it is False.
# https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
_AGENT = ("AcceleratedHardwareReady", "ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady")


def kubernetes_nodes(documents: Iterable[Document]) -> tuple[KubernetesNode, ...]:
    """Return the nodes, in the order of their groups and names."""
    return tuple(
        sorted(
            map(kubernetes_node, documents),
            key=lambda kubernetes_node: (kubernetes_node.group or "", kubernetes_node.name),
        )
    )


def kubernetes_node(document: Document) -> KubernetesNode:
    """Return a node."""
    conditions = {text(condition, "type"): condition for condition in parts(document, "status", "conditions")}
    is_ready = text(conditions.get("Ready"), "status") == "True"
    named = labels(document)
    return KubernetesNode(
        text(document, "metadata", "name"),
        instance_of(document),
        next((text(named, key) for key in _GROUP_LABELS if text(named, key)), None),
        text(named, INSTANCE_TYPE),
        is_ready,
        "" if is_ready else _why(conditions.get("Ready")),
        part(document, "spec").get("unschedulable") is True,
        tuple(_pressures(conditions)),
        tuple(_devices(document)),
        text(document, "status", "nodeInfo", "kubeletVersion"),
    )


def instance_of(document: Document) -> str | None:
    """Return the id at the end of aws:///us-east-2a/i-0a1b2c3d4e5f60718, which is the provider's id of a node."""
    provider = text(document, "spec", "providerID")
    id_ = provider.rpartition("/")[2]
    return id_ if provider.startswith("aws:") and id_.startswith("i-") else None


def _why(ready: Document | None) -> str:
    if ready is None:
        return "it has not said how it is"
    message = reason_and_message(text(ready, "reason"), text(ready, "message"))
    return message or f"Ready is {text(ready, 'status') or 'not known'}"


def _pressures(conditions: dict[str, Document]) -> Iterator[str]:
    for kinds, bad in ((_PRESSURES, "True"), (_AGENT, "False")):
        for kind in kinds:
            if text(conditions.get(kind), "status") == bad:
                reason = text(conditions[kind], "reason")
                yield kind if bad == "True" else f"{kind} is False{f' ({word_or_quoted(reason)})' if reason else ''}"


def _devices(document: Document) -> Iterator[Devices]:
    offered = part(document, "status", "allocatable")
    facts = find(text(labels(document), INSTANCE_TYPE))
    expected = {} if facts is None else _expected(facts, has_efa=text(labels(document), EFA) == "true")
    for resource in (GPUS, NEURON_CHIPS, EFA_INTERFACES):
        if resource in offered or expected.get(resource):
            yield Devices(resource, number(offered, resource), expected.get(resource))


def _expected(facts: InstanceType, *, has_efa: bool) -> dict[str, int]:
    """Return how many devices a type has. Whether its nodes were made with EFA, only their label says."""
    devices = {}
    if facts.accelerators is not None:
        devices[{"nvidia": GPUS, "aws": NEURON_CHIPS}[facts.accelerators.vendor]] = facts.accelerators.count
    if has_efa:
        try:
            devices[EFA_INTERFACES] = interface_plan(facts, "vpc-cni", efa=True).efa_count
        except TrainyardError:  # its cards are not known
            return devices
    return devices
