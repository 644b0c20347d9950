"""Who may use the Kubernetes API: access entries, and the policies on them.

https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import (
    EmulatedEksCluster,
    arn,
    cluster_of,
    in_use_error,
    invalid,
    not_found_error,
    now,
)
from trainyard.rehearsal.emulated.resource import Aws


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateAccessEntry."""
    cluster, who = cluster_of(aws, request["clusterName"]), request["principalArn"]
    if cluster.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise invalid("The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]")
    if who in cluster.access_entries:
        raise in_use_error(f"The specified access entry resource is already in use on this cluster: {who}")
    entry = {
        "clusterName": cluster.name,
        "principalArn": who,
        "kubernetesGroups": list(request.get("kubernetesGroups", [])),
        "accessEntryArn": arn(aws, f"access-entry/{cluster.name}/{uuid.uuid4()}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": dict(request.get("tags", {})),
        "username": request.get("username", who),
        "type": request.get("type", "STANDARD"),
    }
    cluster.access_entries[who] = entry
    return {"accessEntry": entry}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAccessEntry."""
    return {"accessEntry": _existing_entry(cluster_of(aws, request["clusterName"]), request)}


def list_entries(aws: Aws, request: Mapping[str, Any]) -> list[str]:
    """Return who has access to a cluster."""
    return sorted(cluster_of(aws, request["clusterName"]).access_entries)


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteAccessEntry."""
    cluster = cluster_of(aws, request["clusterName"])
    _existing_entry(cluster, request)
    del cluster.access_entries[request["principalArn"]]
    cluster.access_policies.pop(request["principalArn"], None)
    return {}


def associate(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer AssociateAccessPolicy."""
    cluster = cluster_of(aws, request["clusterName"])
    _existing_entry(cluster, request)
    times = {"associatedAt": now(), "modifiedAt": now()}
    policy = {"policyArn": request["policyArn"], "accessScope": request["accessScope"], **times}
    cluster.access_policies.setdefault(request["principalArn"], {})[request["policyArn"]] = policy
    who = {"clusterName": cluster.name, "principalArn": request["principalArn"]}
    return {**who, "associatedAccessPolicy": policy}


def disassociate(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DisassociateAccessPolicy."""
    cluster_of(aws, request["clusterName"]).access_policies.get(request["principalArn"], {}).pop(
        request["policyArn"], None
    )
    return {}


def policies(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the policies of somebody who has access."""
    cluster = cluster_of(aws, request["clusterName"])
    _existing_entry(cluster, request)
    return list(cluster.access_policies.get(request["principalArn"], {}).values())


def _existing_entry(cluster: EmulatedEksCluster, request: Mapping[str, Any]) -> dict[str, Any]:
    entry = cluster.access_entries.get(request["principalArn"])
    if entry is None:
        raise not_found_error(f"The specified principalArn could not be found: {request['principalArn']}")
    return entry
