"""Add-ons: in a version that belongs to the cluster's Kubernetes, and with roles that exist."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks import pod_identities
from trainyard.rehearsal.emulated.eks.state import arn, cluster_of, invalid, missing, now, taken
from trainyard.rehearsal.emulated.eks.updates import updated
from trainyard.rehearsal.emulated.resource import Aws

# The service accounts that need rights, with AWS's own policies for them. DescribeAddonConfiguration says so.
# https://docs.aws.amazon.com/eks/latest/userguide/managing-vpc-cni.html
_RECOMMENDED = {"vpc-cni": [{"serviceAccount": "aws-node", "recommendedManagedPolicies": ["AmazonEKS_CNI_Policy"]}]}
_NAMESPACES = {"amazon-cloudwatch-observability": "amazon-cloudwatch"}
DEFAULT_VERSION = "v1.0.0-eksbuild.1"
"""What an add-on without a version gets: which one is EKS's default, nobody here knows."""


def create(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateAddon. It is active at once."""
    cluster, name = cluster_of(aws, asked["clusterName"]), asked["addonName"]
    if name in cluster.addons:
        raise taken(f"Addon already exists with name: {name}")
    _refuse_wrong_values(asked)
    addon = {
        "addonName": name,
        "clusterName": cluster.name,
        "status": "ACTIVE",
        "addonVersion": asked.get("addonVersion") or DEFAULT_VERSION,
        "health": {"issues": []},
        "addonArn": arn(aws, f"addon/{cluster.name}/{name}/{uuid.uuid4()}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": dict(asked.get("tags", {})),
        "podIdentityAssociations": [_associate(aws, asked, one) for one in asked.get("podIdentityAssociations", ())],
        **{key: asked[key] for key in ("configurationValues", "serviceAccountRoleArn") if key in asked},
    }
    cluster.addons[name] = addon
    return {"addon": addon}


def describe(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAddon."""
    return {"addon": _there(aws, asked)}


def listed(aws: Aws, asked: Mapping[str, Any]) -> list[str]:
    """Return the names of the add-ons of a cluster."""
    return sorted(cluster_of(aws, asked["clusterName"]).addons)


def update(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateAddon."""
    addon = _there(aws, asked)
    _refuse_wrong_values(asked)
    addon |= {key: asked[key] for key in ("addonVersion", "configurationValues") if key in asked}
    return updated(cluster_of(aws, asked["clusterName"]), "AddonUpdate", asked)


def delete(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteAddon. Its associations go with it."""
    addon, cluster = _there(aws, asked), cluster_of(aws, asked["clusterName"])
    for association in addon["podIdentityAssociations"]:
        cluster.pod_identities.pop(association.rpartition("/")[2], None)
    del cluster.addons[addon["addonName"]]
    return {"addon": {**addon, "status": "DELETING"}}


def configuration(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAddonConfiguration, as far as roles are concerned."""
    del aws
    name = asked["addonName"]
    schema = {"configurationSchema": "{}", "podIdentityConfiguration": _RECOMMENDED.get(name, [])}
    return {"addonName": name, "addonVersion": asked["addonVersion"], **schema}


def _associate(aws: Aws, asked: Mapping[str, Any], wanted: Mapping[str, str]) -> str:
    namespace = _NAMESPACES.get(asked["addonName"], "kube-system")
    place = {"clusterName": asked["clusterName"], "namespace": namespace}
    made = pod_identities.create(
        aws, {**place, "serviceAccount": wanted["serviceAccount"], "roleArn": wanted["roleArn"]}
    )
    return str(made["association"]["associationArn"])


def _refuse_wrong_values(asked: Mapping[str, Any]) -> None:
    try:
        json.loads(asked.get("configurationValues") or "{}")
    except ValueError as error:
        raise invalid(f"ConfigurationValue is not in supported format for {asked['addonName']}: {error}") from error


def _there(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    addon = cluster_of(aws, asked["clusterName"]).addons.get(asked["addonName"])
    if addon is None:
        raise missing(f"No addon: {asked['addonName']} found in cluster: {asked['clusterName']}")
    return addon
