"""Who may use the Kubernetes API: access entries, and the policies on them.

https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import EksCluster, arn, cluster_of, invalid, missing, now, taken
from trainyard.rehearsal.emulated.resource import Aws


def create(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateAccessEntry."""
    cluster, who = cluster_of(aws, asked["clusterName"]), asked["principalArn"]
    if cluster.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise invalid("The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]")
    if who in cluster.access_entries:
        raise taken(f"The specified access entry resource is already in use on this cluster: {who}")
    entry = {
        "clusterName": cluster.name,
        "principalArn": who,
        "kubernetesGroups": list(asked.get("kubernetesGroups", [])),
        "accessEntryArn": arn(aws, f"access-entry/{cluster.name}/{uuid.uuid4()}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": dict(asked.get("tags", {})),
        "username": asked.get("username", who),
        "type": asked.get("type", "STANDARD"),
    }
    cluster.access_entries[who] = entry
    return {"accessEntry": entry}


def describe(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeAccessEntry."""
    return {"accessEntry": _there(cluster_of(aws, asked["clusterName"]), asked)}


def listed(aws: Aws, asked: Mapping[str, Any]) -> list[str]:
    """Return who has access to a cluster."""
    return sorted(cluster_of(aws, asked["clusterName"]).access_entries)


def delete(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteAccessEntry."""
    cluster = cluster_of(aws, asked["clusterName"])
    _there(cluster, asked)
    del cluster.access_entries[asked["principalArn"]]
    cluster.access_policies.pop(asked["principalArn"], None)
    return {}


def associate(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer AssociateAccessPolicy."""
    cluster = cluster_of(aws, asked["clusterName"])
    _there(cluster, asked)
    times = {"associatedAt": now(), "modifiedAt": now()}
    policy = {"policyArn": asked["policyArn"], "accessScope": asked["accessScope"], **times}
    cluster.access_policies.setdefault(asked["principalArn"], {})[asked["policyArn"]] = policy
    who = {"clusterName": cluster.name, "principalArn": asked["principalArn"]}
    return {**who, "associatedAccessPolicy": policy}


def disassociate(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DisassociateAccessPolicy."""
    cluster_of(aws, asked["clusterName"]).access_policies.get(asked["principalArn"], {}).pop(asked["policyArn"], None)
    return {}


def policies(aws: Aws, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the policies of somebody who has access."""
    cluster = cluster_of(aws, asked["clusterName"])
    _there(cluster, asked)
    return list(cluster.access_policies.get(asked["principalArn"], {}).values())


def _there(cluster: EksCluster, asked: Mapping[str, Any]) -> dict[str, Any]:
    entry = cluster.access_entries.get(asked["principalArn"])
    if entry is None:
        raise missing(f"The specified principalArn could not be found: {asked['principalArn']}")
    return entry
