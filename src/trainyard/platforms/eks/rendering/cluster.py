"""The ClusterConfig of eksctl: cluster.yaml of a bundle for Amazon EKS.

https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.catalog.partition import partition_of
from trainyard.platforms.eks.rendering.addons import addons
from trainyard.platforms.eks.rendering.adopted_cluster import adopted_cluster
from trainyard.platforms.eks.rendering.names import NODES, PROMETHEUS, SYSTEM, ServiceAccount
from trainyard.platforms.eks.rendering.node_groups import node_groups
from trainyard.platforms.eks.rendering.node_role import node_role, pods_need_node_role
from trainyard.platforms.eks.rendering.vpc import private_subnets, vpc
from trainyard.render.networking import security_groups
from trainyard.render.overlay import merged
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import all_tags
from trainyard.spec.cluster import Spec

# Images of operators, and logs; eksctl's own default.
_VOLUME_GIB = 80


def cluster(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the whole document. Raises TrainyardError where the spec asks for what no node group can have."""
    if spec.eks.adopted:
        return adopted_cluster(spec)
    written = {
        "apiVersion": "eksctl.io/v1alpha5",
        "kind": "ClusterConfig",
        "metadata": {
            "name": spec.name,
            "region": spec.region,
            "version": spec.eks.kubernetes_version,
            "tags": all_tags(spec),
        },
        "iam": _iam(spec, ids),
        "accessConfig": _access(spec),
        "vpc": vpc(spec, ids),
        **_encryption(spec),
        **_logs(spec),
        "addons": addons(spec),
        "managedNodeGroups": [system_nodes(spec, ids), *node_groups(spec, ids)],
    }
    return merged(written, spec.eks.overlay)


def _iam(spec: Spec, ids: Ids) -> dict[str, Any]:
    boundary = spec.iam.permissions_boundary
    identities = _pod_identities(spec, ids)
    return {
        "withOIDC": True,
        **({} if boundary is None else {"serviceRolePermissionsBoundary": boundary}),
        **({"podIdentityAssociations": identities} if identities else {}),
    }


def _pod_identities(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return the roles of what runs in the cluster, each for one service account, which are manifests.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
    """
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


def _access(spec: Spec) -> dict[str, Any]:
    """Return who administers the cluster beside its creator. Without aws-auth, which a typing mistake can break.

    https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html
    """
    policy = f"arn:{partition_of(spec.region)}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    entries = [
        {"principalARN": arn, "accessPolicies": [{"policyARN": policy, "accessScope": {"type": "cluster"}}]}
        for arn in spec.eks.administrators
    ]
    return {"authenticationMode": "API", **({"accessEntries": entries} if entries else {})}


def _encryption(spec: Spec) -> dict[str, Any]:
    """Return the user's key for secrets. Without it EKS encrypts them with one of its own."""
    key = spec.iam.kms_key
    return {} if key is None else {"secretsEncryption": {"keyARN": key}}


def _logs(spec: Spec) -> dict[str, Any]:
    types = list(spec.eks.control_plane_logs) if spec.monitoring.logs else []
    if not types:
        return {}
    days = spec.monitoring.log_retention_days
    return {"cloudWatch": {"clusterLogging": {"enableTypes": types, "logRetentionInDays": days}}}


def system_nodes(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the node group. Its nodes have no taint, so that whatever tolerates none lands on them."""
    count = spec.eks.system_nodes.count
    return {
        "name": SYSTEM,
        "instanceType": spec.eks.system_nodes.instance_type,
        "amiFamily": "AmazonLinux2023",
        "minSize": count,
        "desiredCapacity": count,
        "maxSize": count,
        "privateNetworking": True,
        **_place(spec, ids),
        "securityGroups": {"attachIDs": security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]},
        "volumeSize": _VOLUME_GIB,
        "volumeEncrypted": True,
        "disablePodIMDS": not pods_need_node_role(spec),
        **node_role(spec),
        "labels": {NODES: SYSTEM},
        "nodeRepairConfig": {"enabled": spec.eks.node_repair},
    }


def _place(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the zone of the network, where the file systems are too; in an existing VPC all private subnets."""
    if spec.network.existing is not None:
        return {"subnets": list(private_subnets(spec, ids))}
    zone = spec.network.availability_zone
    return {"subnets": [next(iter(private_subnets(spec, ids)))]} if zone is None else {"availabilityZones": [zone]}
