"""The state of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.region_clusters import RegionCluster, region_clusters
from trainyard.operate.status.status_query import status

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account
    from trainyard.edge.kubernetes.kubectl import KubectlOf

__all__ = ["RegionCluster", "Status", "cluster_status", "region_clusters"]


def cluster_status(
    name: str,
    where: Account,
    *,
    bucket: str | None = None,
    kubectl: KubectlOf = kubectl_of,
    detects_drift: bool = False,
) -> Status:
    """Return the state of a cluster, whoever made it, or of an environment; ``unknown`` says what may not be looked at.

    ``bucket`` is the one that its spec named, where no stack is left to say so; ``kubectl`` gives what asks the API of
    a Kubernetes cluster. With ``detects_drift``, CloudFormation compares every resource of its stacks with their
    templates, which takes minutes.
    Raises TrainyardError where there is nothing of that name, or the account cannot be used.
    """
    return status(name, where, bucket, kubectl=kubectl, detects_drift=detects_drift)
