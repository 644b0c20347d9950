"""Cards of the services outside the network that the cluster works with."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.render.assets import folder
from trainyard.render.diagram.card import Card
from trainyard.spec.cluster import Spec


def services_of_head(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what people use, and what the head node talks to, by role."""
    yield from platform_of(spec).picture().head_services(spec)
    if spec.monitoring.mode == "amp+amg":
        yield "grafana", Card("chart", "watch", "Grafana", ("Amazon Managed Grafana", "with IAM Identity Center"))
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "prometheus", Card("watch", "watch", "Prometheus", ("Amazon Managed Service for Prometheus",))


def services_of_nodes(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what every node talks to, by role."""
    yield from platform_of(spec).picture().node_services(spec)


def session_manager() -> tuple[str, Card]:
    """Return the way to a shell."""
    return "session manager", Card("shell", "people", "Session Manager", ("a shell on any node, no open port",))


def registry() -> tuple[str, Card]:
    """Return where containers come from."""
    return "images", Card("bucket", "bucket", "ECR", ("images of containers",))


def cloudwatch(spec: Spec, *, alarms: bool) -> Iterator[tuple[str, Card]]:
    """Yield CloudWatch, where anything is sent there. ``alarms`` says whether there are any."""
    monitoring = spec.monitoring
    lines = [f"logs, kept {monitoring.log_retention_days:,} days"] if monitoring.logs else []
    shown = [name for name, on in (("dashboard", monitoring.dashboard), ("alarms", alarms)) if on]
    lines += [" and ".join(shown)] if shown else []
    if lines:
        yield "cloudwatch", Card("watch", "watch", "CloudWatch", tuple(lines))


def assets(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield the bucket that nodes or the monitoring instance fetch from."""
    if spec.installs_anything:
        lines = (spec.assets.bucket or "a bucket of the account", f"{folder(spec)}/")
        yield "assets", Card("bucket", "bucket", "S3 assets", lines)
