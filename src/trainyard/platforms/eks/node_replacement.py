"""How a node of Amazon EKS is replaced: cordoned, drained, ended in its Auto Scaling group, and its successor proven.

Pods are evicted, which PodDisruptionBudgets may hold up. The successor is cordoned when it registers, until it is
proven; pods that it gets in the seconds before that stay.
https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from trainyard.edge.aws import auto_scaling
from trainyard.edge.aws.ec2 import Described, tags_of
from trainyard.edge.aws.nodes import instance_by_id, kubernetes_instances, node_group_of
from trainyard.edge.kubernetes.documents import Document, part, parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import word_or_quoted
from trainyard.operate.nodes.replacement import ReplacementRequest
from trainyard.operate.nodes.replacement_record import ReplacementRecord
from trainyard.platforms.eks.pod_devices import has_devices
from trainyard.platforms.eks.status.nodes import instance_of, kubernetes_node

HOLD = "trainyard/replacement"
"""The annotation of nodes that are held here, with the reason."""
_OVER = ("Succeeded", "Failed")
_OF_EVERY_NODE = ("DaemonSet", "Node")  # a pod of a Node is one of the kubelet's own files
_JOBS = ("Job", "MPIJob", "PyTorchJob")
_GONE = ("shutting-down", "terminated")
_REASON_LENGTH = 200
_GROUP = "aws:autoscaling:groupName"


class EksReplacement:
    """The part of Amazon EKS."""

    HAS_SUCCESSOR = True

    def __init__(self, request: ReplacementRequest) -> None:
        """Take what is asked for."""
        self._request = request

    def find(self, node: str) -> ReplacementRecord:
        """Return a node by its name in Kubernetes, or by the id of its instance."""
        account, cluster = self._request.account, self._request.cluster
        instances = {instance["InstanceId"]: instance for instance in _present(account, cluster)}
        nodes = ((instance_of(document), text(document, "metadata", "name")) for document in self._nodes())
        names = {id_: name for id_, name in nodes if id_ is not None}
        by_name = {name: id_ for id_, name in names.items()}
        found = instances.get(by_name.get(node, node))
        if found is None:
            known = ", ".join(sorted(name for name, id_ in by_name.items() if id_ in instances)[:5])
            hint = f"it has {known}" if known else f"`trainyard status {cluster}` says what there is"
            raise InputError(f"{cluster} has no node {node!r}, or its instance is gone already", where=node, hint=hint)
        id_, group = str(found["InstanceId"]), node_group_of(found)
        if _GROUP not in tags_of(found):
            hint = "whatever made it has to replace it: delete its NodeClaim, for instance"
            raise InputError(f"{id_} is in no Auto Scaling group, so nothing takes its place", where=node, hint=hint)
        peers = [id_ for id_, instance in instances.items() if node_group_of(instance) == group]
        return self._request.record(names.get(id_) or id_, id_, found["InstanceType"], *sorted(peers))

    def hold(self, record: ReplacementRecord) -> str:
        """Cordon the node, and write the reason beside it."""
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, record.instance_id)
            if document is None:
                return f"Kubernetes does not know {record.instance_id}, which gets no pods"
            kubectl.apply([_held(document, record.reason)], force_conflicts=True)
        return f"{record.node} is cordoned"

    def is_held(self, record: ReplacementRecord) -> bool:
        """Look for the annotation. Where the instance has ended, its successor has none until it registers."""
        instances = (record.instance_id, record.new_instance_id)
        present = [document for document in self._nodes() if instance_of(document) in instances]
        if not present:
            return record.stage != "held"
        return any(HOLD in part(document, "metadata", "annotations") for document in present)

    def evidence(self, record: ReplacementRecord) -> Mapping[str, Callable[[], Any]]:
        """Return what Kubernetes says of the node, and which pods it has."""
        return {
            "kubernetes": lambda: next((one for one in self._nodes() if instance_of(one) == record.instance_id), None),
            "pods": lambda: [f"{_named(pod)}: {text(pod, 'status', 'phase')}" for pod in self._pods(record)],
        }

    def jobs(self, record: ReplacementRecord) -> tuple[str, ...]:
        """Return the pods that have devices, belong to a job, or that nothing would make again."""
        return tuple(
            f"pod {word_or_quoted(_named(pod))}{f' of {kind}' if kind else ''}"
            for pod in self._pods(record)
            for kind in (_owner(pod),)
            if has_devices(pod) or not kind or kind in _JOBS
        )

    def why_not_given_up(self, record: ReplacementRecord, *, end_jobs: bool) -> str:
        """Evict the pods, and end the instance once they are gone."""
        if not end_jobs and (jobs := self.jobs(record)):
            hint = "they began before it was held; run this again when they are over, or with --end-jobs"
            raise TrainyardError(f"{record.node} has jobs: {'; '.join(jobs)}", where=record.node, hint=hint)
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, record.instance_id)
            if document is not None and (left := kubectl.drain(text(document, "metadata", "name"))):
                return f"{record.node} cannot be drained: {left[0]}"
        if self._is_there(record.instance_id):
            auto_scaling.end_instance(self._request.account, record.instance_id)
            self._request.tell(f"{record.instance_id} ends, and its Auto Scaling group launches another")
        return ""

    def successors(self, record: ReplacementRecord) -> Sequence[str]:
        """Return the instances of the node group that were not there before. Of several nodes, each claims one."""
        account, cluster = self._request.account, self._request.cluster
        group = self._group(record, instance_by_id(account, record.instance_id))
        return sorted(
            instance["InstanceId"]
            for instance in _present(account, cluster)
            if instance["InstanceId"] not in record.peers
            and instance["State"]["Name"] == "running"
            and node_group_of(instance) == group
        )

    def why_not_back(self, record: ReplacementRecord) -> str:
        """Return why the successor is not Ready with all devices. It is cordoned as soon as it registers."""
        id_ = record.new_instance_id
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, id_)
            if document is None:
                return f"{id_} has not joined the cluster"
            node = kubernetes_node(document)
            if not node.cordoned:
                kubectl.apply([_held(document, record.reason)], force_conflicts=True)
                return f"{node.name} was not held yet"
        if not node.ready:
            return f"{node.name} is not Ready: {node.why}"
        missing = [device for device in node.devices if device.are_missing]
        return "; ".join(
            f"{node.name} offers {device.allocatable} {device.resource}, not {device.expected}" for device in missing
        )

    def health_problem(self, record: ReplacementRecord) -> str:
        """Return what the kubelet and EKS's monitoring agent find."""
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, record.new_instance_id)
        return "" if document is None else ", ".join(kubernetes_node(document).pressures)

    def release(self, record: ReplacementRecord) -> None:
        """Let pods onto the successor: what was applied to hold it is applied no more."""
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, record.new_instance_id)
            if document is not None:
                kubectl.apply([_identity(document)], force_conflicts=True)

    def release_command(self, record: ReplacementRecord) -> str:
        """Return what uncordons the successor."""
        node = next((one for one in self._nodes() if instance_of(one) == record.new_instance_id), None)
        return f"`kubectl uncordon {text(node, 'metadata', 'name') if node else record.new_instance_id}`"

    def _kubectl(self) -> AbstractContextManager[Kubectl]:
        return kubectl_of(self._request.account, self._request.cluster)

    def _nodes(self) -> list[Document]:
        with self._kubectl() as kubectl:
            nodes: list[Document] = kubectl.get("nodes")
        return nodes

    def _pods(self, record: ReplacementRecord) -> list[Document]:
        with self._kubectl() as kubectl:
            document = _node_of(kubectl, record.instance_id)
            return [] if document is None else list(_pods_on(kubectl, text(document, "metadata", "name")))

    def _group(self, record: ReplacementRecord, former: Described | None) -> str | None:
        """Return the node group of what was replaced; EC2 forgets it within an hour, its peers say it then."""
        if former is not None:
            return node_group_of(former)
        present = _present(self._request.account, self._request.cluster)
        return next((node_group_of(peer) for peer in present if peer["InstanceId"] in record.peers), None)

    def _is_there(self, instance_id: str) -> bool:
        instance = instance_by_id(self._request.account, instance_id)
        return instance is not None and instance["State"]["Name"] not in _GONE


def _present(account: Any, cluster: str) -> Sequence[Described]:
    return [one for one in kubernetes_instances(account, cluster) if one["State"]["Name"] not in _GONE]


def _node_of(kubectl: Kubectl, instance_id: str) -> Document | None:
    return next((document for document in kubectl.get("nodes") if instance_of(document) == instance_id), None)


def _pods_on(kubectl: Kubectl, node: str) -> Iterator[Document]:
    """Yield the pods of a node that are not over, without those that every node has."""
    for pod in kubectl.get("pods"):
        is_here = text(pod, "spec", "nodeName") == node and text(pod, "status", "phase") not in _OVER
        if is_here and _owner(pod) not in _OF_EVERY_NODE:
            yield pod


def _owner(pod: Document) -> str:
    """Return the kind that would make the pod again; empty where nothing does."""
    return next((text(owner, "kind") for owner in parts(pod, "metadata", "ownerReferences")), "")


def _held(document: Document, reason: str) -> Document:
    """Return what holds a node: an object of its uid, so that a node that is gone is not made anew.

    https://kubernetes.io/docs/reference/using-api/server-side-apply/
    """
    held = _identity(document)
    annotations = {HOLD: reason[:_REASON_LENGTH]}
    return {**held, "metadata": {**held["metadata"], "annotations": annotations}, "spec": {"unschedulable": True}}


def _identity(document: Document) -> Document:
    metadata = {key: value for key, value in part(document, "metadata").items() if key in ("name", "uid")}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def _named(pod: Document) -> str:
    return f"{text(pod, 'metadata', 'namespace') or 'default'}/{text(pod, 'metadata', 'name')}"
