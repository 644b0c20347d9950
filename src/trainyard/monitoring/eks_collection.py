"""prometheus.yml for EKS: an agent in the cluster, which finds nodes through Kubernetes and scrapes their DaemonSets.

Nothing makes such clusters yet; whoever does fills in the place, and runs node-exporter, dcgm-exporter and
trainyard-node as DaemonSets on the network of their hosts, at the ports that they have everywhere. Nodes are what is
discovered, not pods: only a node says which instance of EC2 it is.
https://prometheus.io/docs/prometheus/latest/configuration/configuration/#node
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainyard.monitoring.agent_config import agent_config, host_name_of, keep_queues

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMESPACE, SERVICE_ACCOUNT = "trainyard-monitoring", "prometheus-agent"
# Labels of nodes: https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesioinstance-type
# https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
_INSTANCE_TYPE = "__meta_kubernetes_node_label_node_kubernetes_io_instance_type"
_NODE_GROUP = "__meta_kubernetes_node_label_eks_amazonaws_com_nodegroup"


class EksCluster(NamedTuple):
    """What collection has to know of a cluster of EKS."""

    name: str
    region: str
    node_groups: Sequence[str]
    """Managed node groups, which take the place of queues."""
    gpu_node_groups: Sequence[str]
    """Those with NVIDIA GPUs."""


def eks_config(cluster: EksCluster, write_url: str) -> dict[str, Any]:
    """Return what the agent scrapes, and where it sends that.

    It is signed with what the SDK finds in the pod: there is no key in it.
    """
    groups = cluster.gpu_node_groups
    return agent_config(cluster.name, cluster.region, write_url, groups, lambda exporter: _found(cluster, exporter))


def eks_manifests(role_arn: str) -> list[dict[str, Any]]:
    """Return who the agent is in the cluster: a service account with a role of IAM, which may look at nodes.

    The role needs aps:RemoteWrite on the workspace, and to trust this account of the cluster's identity provider:
    https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html
    """
    account = {"name": SERVICE_ACCOUNT, "namespace": NAMESPACE}
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": SERVICE_ACCOUNT}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {**account, "annotations": {"eks.amazonaws.com/role-arn": role_arn}},
        },
        {**_rbac("ClusterRole"), "rules": rules},
        {**_rbac("ClusterRoleBinding"), "roleRef": role, "subjects": [{"kind": "ServiceAccount", **account}]},
    ]


def _found(cluster: EksCluster, exporter: tuple[int, Sequence[str] | None]) -> dict[str, Any]:
    port, groups = exporter
    internal = "__meta_kubernetes_node_address_InternalIP"
    return {
        "kubernetes_sd_configs": [{"role": "node"}],
        "relabel_configs": [
            *keep_queues(_NODE_GROUP, cluster.node_groups if groups is None else groups),
            {"source_labels": [internal], "target_label": "__address__", "replacement": f"$1:{port}"},
            # A node's instance is otherwise its name, and that of all of its exporters.
            {"source_labels": ["__address__"], "target_label": "instance"},
            {"target_label": "cluster", "replacement": cluster.name},
            # aws:///us-east-2a/i-0123456789abcdef0
            {
                "source_labels": ["__meta_kubernetes_node_provider_id"],
                "regex": ".*/(i-[0-9a-f]+)",
                "target_label": "instance_id",
            },
            {"source_labels": [_INSTANCE_TYPE], "target_label": "instance_type"},
            host_name_of("__meta_kubernetes_node_name"),
            {"target_label": "node_type", "replacement": "Compute"},
            {"source_labels": [_NODE_GROUP], "target_label": "queue"},
        ],
    }


def _rbac(kind: str) -> dict[str, Any]:
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": SERVICE_ACCOUNT}}
