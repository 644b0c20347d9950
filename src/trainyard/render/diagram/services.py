"""Cards of the services outside the network that the cluster works with."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.render.assets import folder
from trainyard.render.diagram.card import Card
from trainyard.render.diagram.eks_cards import control_plane_card, logs_card
from trainyard.spec.cluster import Spec


def services_of_head(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what people use, and what the head node talks to, by role."""
    if _is_eks(spec):
        yield "control plane", control_plane_card(spec)
    elif not spec.is_environment:
        yield "session manager", _session_manager()
    if spec.monitoring.mode == "amp+amg":
        yield "grafana", Card("chart", "watch", "Grafana", ("Amazon Managed Grafana", "with IAM Identity Center"))
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "prometheus", Card("watch", "watch", "Prometheus", ("Amazon Managed Service for Prometheus",))


def services_of_nodes(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what every node talks to, by role."""
    if _is_eks(spec):
        yield from _services_of_eks_nodes(spec)
        return
    if spec.platform == "batch":
        queues = ", ".join(f"{spec.name}-{queue.name}" for queue in spec.queues)
        yield "batch", Card("server", "compute", "AWS Batch", (f"job queues {queues}",))
        yield "images", _registry()
    if not spec.is_environment and (lines := tuple(_cloudwatch_lines(spec))):
        yield "cloudwatch", Card("watch", "watch", "CloudWatch", lines)
    if spec.installs_anything:
        lines = (spec.assets.bucket or "a bucket of the account", f"{folder(spec)}/")
        yield "assets", Card("bucket", "bucket", "S3 assets", lines)


def _services_of_eks_nodes(spec: Spec) -> Iterator[tuple[str, Card]]:
    yield "session manager", _session_manager()
    yield "images", _registry()
    if (logs := logs_card(spec)) is not None:
        yield "logs of the control plane", logs


def _is_eks(spec: Spec) -> bool:
    return spec.platform == "eks" and not spec.is_environment


def _session_manager() -> Card:
    return Card("shell", "people", "Session Manager", ("a shell on any node, no open port",))


def _registry() -> Card:
    return Card("bucket", "bucket", "ECR", ("images of containers",))


def _cloudwatch_lines(spec: Spec) -> Iterator[str]:
    wanted = spec.monitoring
    if wanted.logs:
        yield f"logs, kept {wanted.log_retention_days:,} days"
    alarms = wanted.alarms and spec.platform == "parallelcluster"
    shown = [name for name, on in (("dashboard", wanted.dashboard), ("alarms", alarms)) if on]
    if shown:
        yield " and ".join(shown)
