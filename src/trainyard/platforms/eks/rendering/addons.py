"""EKS's own add-ons: networking, DNS, roles of pods and the health of nodes. Everything else is a manifest."""

from __future__ import annotations

import json
from typing import Any

from trainyard.catalog.kubernetes_versions import find_version
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rendering.names import TAINT_KEYS
from trainyard.spec.cluster import Spec

# By the name of their fact in the catalog.
_NAMES = {
    "vpc_cni": "vpc-cni",
    "coredns": "coredns",
    "kube_proxy": "kube-proxy",
    "pod_identity_agent": "eks-pod-identity-agent",
    "node_monitoring_agent": "eks-node-monitoring-agent",
}


def addons(spec: Spec) -> list[dict[str, Any]]:
    """Return them with their versions, each without where the catalog knows none: then EKS takes its default."""
    return [_addon(spec, fact) for fact in _NAMES if fact != "node_monitoring_agent" or spec.eks.node_repair]


def addons_without_version(spec: Spec) -> list[str]:
    """Return the names of those whose version the catalog does not know."""
    return [addon["name"] for addon in addons(spec) if "version" not in addon]


def _addon(spec: Spec, fact: str) -> dict[str, Any]:
    facts = find_version(spec.eks.kubernetes_version)
    version = None if facts is None else getattr(facts, fact)
    return {
        "name": _NAMES[fact],
        **({} if version is None else {"version": version}),
        # Only it calls AWS. With a role of its own, the nodes' needs no leave to rewire interfaces.
        # https://docs.aws.amazon.com/eks/latest/eksctl/pod-identity-associations.html
        # Without a version eksctl fails to find its policy, https://github.com/eksctl-io/eksctl/issues/7841; left alone
        # it makes a role by the cluster's OIDC provider.
        **({"useDefaultPodIdentityAssociations": True} if fact == "vpc_cni" and version is not None else {}),
        **(_monitoring_of_gpus(spec) if fact == "node_monitoring_agent" else {}),
    }


def _monitoring_of_gpus(spec: Spec) -> dict[str, str]:
    """Return what lets the agent's part for GPUs onto their nodes: unlike the agent itself, it tolerates no taint.

    https://github.com/aws/eks-node-monitoring-agent/blob/main/charts/eks-node-monitoring-agent/values.yaml
    """
    if all(launch.instance.accelerator != "nvidia" for launch in compute_launches(spec)):
        return {}
    toleration = {"key": TAINT_KEYS["nvidia"], "operator": "Exists", "effect": "NoSchedule"}
    return {"configurationValues": json.dumps({"dcgmAgent": {"tolerations": [toleration]}})}
