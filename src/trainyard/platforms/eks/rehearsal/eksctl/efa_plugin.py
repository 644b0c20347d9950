"""The device plugin for EFA, which eksctl installs by itself with ``efaEnabled``, in a version of its own.

A manifest of that name takes its place: https://github.com/eksctl-io/eksctl/blob/main/pkg/addons/assets/efa-device-plugin.yaml
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from trainyard.edge.aws.account import Account
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl
from trainyard.platforms.eks.rendering.names import EFA_PLUGIN

_LABELS = {"name": "aws-efa-k8s-device-plugin"}
# An image of its own, so that it does not pass for the one of the manifests.
_IMAGE = "eksctl/efa-plugin-of-eksctl:old"


def install_efa_plugin(account: Account, cluster: str) -> None:
    """Apply it, where nobody has."""
    endpoint = account.client("eks").describe_cluster(name=cluster)["cluster"]["endpoint"]
    kubectl = EmulatedKubectl(account, cluster, str(urlsplit(endpoint).hostname), "eksctl")
    namespace, name = EFA_PLUGIN
    there = kubectl.get("daemonsets.apps", namespace=namespace)
    if all(one["metadata"]["name"] != name for one in there):
        kubectl.apply([_daemon_set(namespace, name)])


def _daemon_set(namespace: str, name: str) -> dict[str, Any]:
    container = {"name": "aws-efa-k8s-device-plugin", "image": _IMAGE}
    pod = {"tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}], "containers": [container]}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": _LABELS}, "template": {"metadata": {"labels": _LABELS}, "spec": pod}},
    }
