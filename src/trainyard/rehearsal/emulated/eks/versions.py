"""The versions of Kubernetes that EKS offers, and those of its add-ons, as far as the catalog knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.catalog.kubernetes_versions import find_version, known_versions
from trainyard.rehearsal.emulated.eks.state import now
from trainyard.rehearsal.emulated.resource import Aws

# By the name of their fact in the catalog.
_ADDONS = {
    "vpc-cni": "vpc_cni",
    "coredns": "coredns",
    "kube-proxy": "kube_proxy",
    "eks-pod-identity-agent": "pod_identity_agent",
    "eks-node-monitoring-agent": "node_monitoring_agent",
}


def list_versions(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what DescribeClusterVersions says: versions that are supported, the newest first."""
    del aws
    today = now().date().isoformat()
    return [
        {
            "clusterVersion": version,
            "clusterType": "eks",
            "versionStatus": "STANDARD_SUPPORT" if str(facts.standard_until or today) >= today else "EXTENDED_SUPPORT",
            "status": "standard-support" if str(facts.standard_until or today) >= today else "extended-support",
            "kubernetesPatchVersion": f"{version}.0",
        }
        for version in reversed(known_versions())
        if (facts := find_version(version)) is not None
        and str(facts.extended_until or today) >= today
        and version in (request.get("clusterVersions") or [version])
    ]


def of_addons(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what DescribeAddonVersions says of the add-ons that the catalog knows."""
    del aws
    names = [request["addonName"]] if "addonName" in request else list(_ADDONS)
    versions = [request["kubernetesVersion"]] if "kubernetesVersion" in request else list(known_versions())
    return [_addon(name, versions) for name in names]


def _addon(name: str, kubernetes: list[str]) -> dict[str, Any]:
    fact = _ADDONS.get(name)
    by_addon_version: dict[str, list[str]] = {}
    for version in kubernetes:
        facts = find_version(version)
        addon_version = getattr(facts, fact) if facts is not None and fact is not None else None
        if addon_version is not None:
            by_addon_version.setdefault(addon_version, []).append(version)
    infos = [
        {
            "addonVersion": version,
            "compatibilities": [
                {"clusterVersion": kubernetes_version, "defaultVersion": False} for kubernetes_version in those
            ],
            "requiresIamPermissions": name == "vpc-cni",
        }
        for version, those in by_addon_version.items()
    ]
    return {"addonName": name, "type": "networking", "addonVersions": infos}
