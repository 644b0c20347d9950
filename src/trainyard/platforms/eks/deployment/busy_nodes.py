"""Pods on nodes that are to go: what somebody still waits for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trainyard.edge.kubernetes.kubectl import Kubectl

GROUP = "eks.amazonaws.com/nodegroup"
"""Label that EKS gives to nodes: the name of their node group."""
_OVER = {"Succeeded", "Failed"}


def pods_on(kubectl: Kubectl, groups: Collection[str]) -> list[str]:
    """Return the pods on the nodes of some node groups that are not over, as NAMESPACE/NAME.

    What runs on every node does not count: nobody waits for the pods of DaemonSets.
    """
    nodes = {node["metadata"]["name"] for node in kubectl.get("nodes") if _labels(node).get(GROUP) in groups}
    pods = [pod for pod in kubectl.get("pods") if pod.get("spec", {}).get("nodeName") in nodes] if nodes else []
    return sorted(_named(pod) for pod in pods if not _of_every_node(pod) and not _over(pod))


def _of_every_node(pod: Mapping[str, Any]) -> bool:
    owners = {owner_reference.get("kind") for owner_reference in pod["metadata"].get("ownerReferences", ())}
    return bool(owners & {"DaemonSet", "Node"})


def _over(pod: Mapping[str, Any]) -> bool:
    return pod.get("status", {}).get("phase") in _OVER


def _labels(document: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = document["metadata"].get("labels") or {}
    return labels


def _named(pod: Mapping[str, Any]) -> str:
    return f"{pod['metadata'].get('namespace', 'default')}/{pod['metadata']['name']}"
