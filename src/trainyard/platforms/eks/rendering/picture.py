"""What only the picture of a cluster of EKS shows: its control plane, its system nodes, and the ways to its API."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.counts import count_text
from trainyard.render.diagram.cards import Card, registry, session_manager
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec


def title(spec: Spec) -> str:
    """Return what runs the jobs."""
    return f"Amazon EKS, Kubernetes {spec.eks.kubernetes_version}"


def nodes_beside_queues(spec: Spec) -> str:
    """Return the system nodes, as a sentence."""
    if spec.eks.adopted:
        return ""
    return f"System nodes: {spec.eks.system_nodes.count} × {spec.eks.system_nodes.instance_type}. "


def has_public_control_plane(spec: Spec) -> bool:
    """Return whether the API of Kubernetes is reached from outside the network."""
    return spec.eks.endpoint != "private"


def node_cards(spec: Spec) -> Iterator[tuple[str, str, Card]]:
    """Yield the nodes that run no training, in the place of a head node."""
    if not spec.eks.adopted:
        yield "private", "head", Card("server", "compute", "System nodes", tuple(_system_lines(spec)))


def head_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what EKS runs outside the network, and where the logs of that are kept."""
    lines: tuple[str, ...] = (f"control plane of Kubernetes {spec.eks.kubernetes_version}",)
    yield "control plane", Card("server", "compute", "EKS", lines)
    if spec.monitoring.logs and spec.eks.control_plane_logs:
        lines = ("logs of the control plane", f"kept {count_text(spec.monitoring.log_retention_days, 'day')}")
        yield "logs of the control plane", Card("watch", "watch", "CloudWatch", lines)


def node_services(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what nodes talk to."""
    del spec
    yield session_manager()
    yield registry()


def own_file_systems(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield that there are none, where the spec has none."""
    if not spec.file_systems:
        yield "None", "containers have what their nodes have"


def ways_in(spec: Spec) -> Iterator[str]:
    """Yield who reaches the API of Kubernetes, and shells and Grafana beside it."""
    if not has_public_control_plane(spec):
        yield "kubectl from within the network"
    elif spec.access.allow_from:
        yield f"kubectl from {few(spec.access.allow_from, 3)}"
    else:
        yield "kubectl from everywhere, as IAM allows: access.allow_from is empty"
    managed = " and Grafana" if spec.monitoring.mode == "amp+amg" else ""
    yield f"Session Manager{managed} over HTTPS, as IAM allows"


def _system_lines(spec: Spec) -> Iterator[str]:
    nodes = spec.eks.system_nodes
    yield f"{nodes.count:,} × {nodes.instance_type}"
    yield ", ".join(("DNS", *spec.eks.operators))
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "Prometheus collects metrics of all nodes"
