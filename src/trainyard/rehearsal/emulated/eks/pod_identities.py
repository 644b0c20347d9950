"""Roles of service accounts: one for each, and its role has to let pods take it.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html
"""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.eks.state import arn, cluster_of, in_use_error, invalid, not_found_error, now
from trainyard.rehearsal.emulated.resource import Aws

_LETTERS = string.ascii_lowercase + string.digits
_WHO = ("namespace", "serviceAccount")
# https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
_PRINCIPAL = "pods.eks.amazonaws.com"


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreatePodIdentityAssociation."""
    cluster = cluster_of(aws, request["clusterName"])
    if any(all(pod_identity[key] == request[key] for key in _WHO) for pod_identity in cluster.pod_identities.values()):
        raise in_use_error(f"Association already exists: {request['namespace']}/{request['serviceAccount']}")
    _refuse_role(aws, request["roleArn"])
    name = "a-" + "".join(secrets.choice(_LETTERS) for _ in range(17))
    association = {
        "clusterName": cluster.name,
        **{key: request[key] for key in (*_WHO, "roleArn")},
        "associationArn": arn(aws, f"podidentityassociation/{cluster.name}/{name}"),
        "associationId": name,
        "tags": dict(request.get("tags", {})),
        "createdAt": now(),
        "modifiedAt": now(),
    }
    cluster.pod_identities[name] = association
    return {"association": association}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribePodIdentityAssociation."""
    return {"association": _existing_association(aws, request)}


def list_associations(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the associations of a cluster, or those of a namespace or service account."""
    identities = cluster_of(aws, request["clusterName"]).pod_identities.values()
    return [identity for identity in identities if all(request.get(key) in (None, identity[key]) for key in _WHO)]


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeletePodIdentityAssociation."""
    association = _existing_association(aws, request)
    del cluster_of(aws, request["clusterName"]).pod_identities[request["associationId"]]
    return {"association": association}


def _existing_association(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    identity = cluster_of(aws, request["clusterName"]).pod_identities.get(request["associationId"])
    if identity is None:
        raise not_found_error(f"Pod identity association {request['associationId']} does not exist")
    return identity


def _refuse_role(aws: Aws, role: str) -> None:
    """Refuse a role that does not exist or that pods may not take."""
    try:
        described = aws.client("iam").get_role(RoleName=role.rpartition("/")[2])["Role"]
    except ClientError as error:
        raise invalid(f"Role provided in the request does not exist: {role}") from error
    if _PRINCIPAL not in json.dumps(described["AssumeRolePolicyDocument"]):
        raise invalid(f"Trust policy of role {role} does not let {_PRINCIPAL} assume it")
