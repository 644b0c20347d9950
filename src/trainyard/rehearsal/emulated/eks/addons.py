"""Add-ons: in a version that belongs to the cluster's Kubernetes, and with roles that exist."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks import pod_identities
from trainyard.rehearsal.emulated.eks.state import (
    arn,
    begin_update,
    cluster_of,
    in_use_error,
    invalid,
    not_found_error,
    now,
)
from trainyard.rehearsal.emulated.resource import Aws

# The service accounts that need rights, with AWS's own policies for them. DescribeAddonConfiguration says so.
# https://docs.aws.amazon.com/eks/latest/userguide/managing-vpc-cni.html
_RECOMMENDED = {"vpc-cni": [{"serviceAccount": "aws-node", "recommendedManagedPolicies": ["AmazonEKS_CNI_Policy"]}]}
_NAMESPACES = {"amazon-cloudwatch-observability": "amazon-cloudwatch"}
DEFAULT_VERSION = "v1.0.0-eksbuild.1"
"""What an add-on without a version gets: which one is EKS's default, nobody here knows."""


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateAddon. It is active at once. One that could not be made is made again."""
    cluster, name = cluster_of(aws, request["clusterName"]), request["addonName"]
    if name in cluster.addons and cluster.addons[name]["status"] != "CREATE_FAILED":
        raise in_use_error(f"Addon already exists with name: {name}")
    _refuse_wrong_values(request)
    addon = {
        "addonName": name,
        "clusterName": cluster.name,
        "status": "ACTIVE",
        "addonVersion": request.get("addonVersion") or DEFAULT_VERSION,
        "health": {"issues": []},
        "addonArn": arn(aws, f"addon/{cluster.name}/{name}/{uuid.uuid4()}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": dict(request.get("tags", {})),
        "podIdentityAssociations": [
            _associate(aws, request, association) for association in request.get("podIdentityAssociations", ())
        ],
        **{key: request[key] for key in ("configurationValues", "serviceAccountRoleArn") if key in request},
    }
    cluster.addons[name] = addon
    return {"addon": addon}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAddon."""
    return {"addon": _existing_addon(aws, request)}


def list_addons(aws: Aws, request: Mapping[str, Any]) -> list[str]:
    """Return the names of the add-ons of a cluster."""
    return sorted(cluster_of(aws, request["clusterName"]).addons)


def update(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateAddon."""
    addon = _existing_addon(aws, request)
    _refuse_wrong_values(request)
    addon |= {key: request[key] for key in ("addonVersion", "configurationValues") if key in request}
    if roles := request.get("podIdentityAssociations"):
        addon["podIdentityAssociations"] = [_associate(aws, request, association) for association in roles]
    return begin_update(cluster_of(aws, request["clusterName"]), "AddonUpdate", request)


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteAddon. Its associations go with it."""
    addon, cluster = _existing_addon(aws, request), cluster_of(aws, request["clusterName"])
    for association in addon["podIdentityAssociations"]:
        cluster.pod_identities.pop(association.rpartition("/")[2], None)
    del cluster.addons[addon["addonName"]]
    return {"addon": {**addon, "status": "DELETING"}}


def configuration(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAddonConfiguration, as far as roles are concerned."""
    del aws
    name = request["addonName"]
    schema = {"configurationSchema": "{}", "podIdentityConfiguration": _RECOMMENDED.get(name, [])}
    return {"addonName": name, "addonVersion": request["addonVersion"], **schema}


def _associate(aws: Aws, request: Mapping[str, Any], association: Mapping[str, str]) -> str:
    namespace = _NAMESPACES.get(request["addonName"], "kube-system")
    place = {"clusterName": request["clusterName"], "namespace": namespace}
    created = pod_identities.create(
        aws, {**place, "serviceAccount": association["serviceAccount"], "roleArn": association["roleArn"]}
    )
    return str(created["association"]["associationArn"])


def _refuse_wrong_values(request: Mapping[str, Any]) -> None:
    try:
        json.loads(request.get("configurationValues") or "{}")
    except ValueError as error:
        raise invalid(f"ConfigurationValue is not in supported format for {request['addonName']}: {error}") from error


def _existing_addon(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    addon = cluster_of(aws, request["clusterName"]).addons.get(request["addonName"])
    if addon is None:
        raise not_found_error(f"No addon: {request['addonName']} found in cluster: {request['clusterName']}")
    return addon
