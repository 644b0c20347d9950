"""The control plane of an EKS cluster, and how long its version of Kubernetes is supported."""

from __future__ import annotations

from datetime import UTC, datetime

from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.kubernetes_versions import find_version
from trainyard.edge.aws.eks import EksCluster
from trainyard.platforms.eks.status.eks_status import ControlPlane


def control_plane(cluster: EksCluster, now_s: float) -> ControlPlane:
    """Return what there is to say of it."""
    return ControlPlane(
        cluster.arn,
        cluster.status,
        cluster.version,
        *support(cluster.version, now_s),
        _endpoint(cluster),
        None if cluster.created is None else cluster.created.isoformat(timespec="seconds"),
        cluster.health,
    )


def support(version: str, now_s: float) -> tuple[str, str | None]:
    """Return standard, extended or ended, and the day of its end; nothing where the catalog does not know the version.

    https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
    """
    support_times = find_version(version)
    if support_times is None:
        return "", None
    today = f"{datetime.fromtimestamp(now_s, UTC):%Y-%m-%d}"
    if today < support_times.standard_until:
        return "standard", support_times.standard_until
    return "extended" if today < support_times.extended_until else "ended", support_times.extended_until


def usd_an_hour(support: str) -> float | None:
    """Return what EKS charges for a control plane by the support of its version, None where nobody knows."""
    limits = eks_limits()
    charged = {
        "standard": limits.cluster_usd_per_hour,
        "extended": limits.cluster_in_extended_support_usd_per_hour,
    }
    return charged.get(support)


def _endpoint(cluster: EksCluster) -> str:
    if cluster.endpoint_public:
        return "both" if cluster.endpoint_private else "public"
    return "private" if cluster.endpoint_private else ""
