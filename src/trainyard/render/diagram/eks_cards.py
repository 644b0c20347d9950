"""What only the picture of a cluster of EKS shows: its control plane, its system nodes, and the ways to its API."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.render.diagram.card import Card
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec


def system_card(spec: Spec) -> Card:
    """Return the card of the nodes that run no training."""
    nodes = spec.eks.system_nodes
    return Card(
        "server", "compute", "System nodes", tuple(_of_system(spec, f"{nodes.count:,} × {nodes.instance_type}"))
    )


def control_plane_card(spec: Spec) -> Card:
    """Return the card of what EKS runs outside the network."""
    return Card("server", "compute", "EKS", (f"control plane of Kubernetes {spec.eks.kubernetes_version}",))


def logs_card(spec: Spec) -> Card | None:
    """Return the card of the logs of the control plane, None where none are kept."""
    if not spec.monitoring.logs or not spec.eks.control_plane_logs:
        return None
    kept = f"kept {spec.monitoring.log_retention_days:,} days"
    return Card("watch", "watch", "CloudWatch", ("logs of the control plane", kept))


def ways_to_the_api(spec: Spec) -> Iterator[str]:
    """Yield who reaches the API of Kubernetes, and shells and Grafana beside it."""
    if not is_public(spec):
        yield "kubectl from within the network"
    elif spec.access.allow_from:
        yield f"kubectl from {few(spec.access.allow_from, 3)}"
    else:
        yield "kubectl from everywhere, as IAM allows: access.allow_from is empty"
    managed = " and Grafana" if spec.monitoring.mode == "amp+amg" else ""
    yield f"Session Manager{managed} over HTTPS, as IAM allows"


def is_public(spec: Spec) -> bool:
    """Return whether the API of Kubernetes is reached from outside the network."""
    return spec.eks.endpoint != "private"


def _of_system(spec: Spec, nodes: str) -> Iterator[str]:
    yield nodes
    yield ", ".join(("DNS", *spec.eks.operators))
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "Prometheus collects metrics of all nodes"
