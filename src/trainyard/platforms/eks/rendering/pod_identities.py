"""The roles of what runs in the cluster, each for one service account, by EKS Pod Identity.

https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.platforms.eks.rendering.names import PROMETHEUS, ServiceAccount
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def pod_identities(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return the associations. The service accounts themselves are manifests."""
    boundary = spec.iam.permissions_boundary
    return [
        {
            "namespace": account.namespace,
            "serviceAccountName": account.name,
            "permissionPolicyARNs": policies,
            **({} if boundary is None else {"permissionsBoundaryARN": boundary}),
        }
        for account, policies in _policies(spec, ids)
    ]


def _policies(spec: Spec, ids: Ids) -> Iterator[tuple[ServiceAccount, list[str]]]:
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield PROMETHEUS, [ids.of("AMPRemoteWritePolicyArn")]
