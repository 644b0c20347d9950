"""What EKS holds of an account in a region, and how it refuses."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from moto.core.exceptions import ServiceException

from trainyard.catalog.partition import partition_of
from trainyard.rehearsal.emulated.resource import Aws

_STATES: dict[tuple[str, str], dict[str, EmulatedEksCluster]] = {}


class RefusalError(ServiceException):
    """A request that EKS does not take.

    https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
    """


@dataclass(slots=True)
class EmulatedEksCluster:
    """A cluster with all that belongs to it, as answers show it."""

    described: dict[str, Any]
    interfaces: list[str]
    """Network interfaces of its control plane."""
    node_groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    addons: dict[str, dict[str, Any]] = field(default_factory=dict)
    access_entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By the ARN of who has access."""
    access_policies: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """By the ARN of who has access, and that of the policy."""
    pod_identities: dict[str, dict[str, Any]] = field(default_factory=dict)
    updates: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return its name."""
        return str(self.described["name"])


def clusters(aws: Aws) -> dict[str, EmulatedEksCluster]:
    """Return the clusters by their names."""
    return _STATES.setdefault((aws.account_id, aws.region), {})


def cluster_of(aws: Aws, name: str) -> EmulatedEksCluster:
    """Return a cluster. Raises the service's error where there is none."""
    cluster = clusters(aws).get(name)
    if cluster is None:
        raise not_found_error(f"No cluster found for name: {name}.")
    return cluster


def arn(aws: Aws, what: str) -> str:
    """Return the ARN of something: cluster/NAME."""
    return f"arn:{partition_of(aws.region)}:eks:{aws.region}:{aws.account_id}:{what}"


def now() -> datetime:
    """Return the time, as answers have it."""
    return datetime.now(UTC)


def not_found_error(message: str) -> Exception:
    """Return the error for what does not exist."""
    return RefusalError("ResourceNotFoundException", message)


def in_use_error(message: str) -> Exception:
    """Return the error for what exists already, or is needed by something else."""
    return RefusalError("ResourceInUseException", message)


def invalid(message: str) -> Exception:
    """Return the error for a request that cannot be done as it is."""
    return RefusalError("InvalidParameterException", message)


def begin_update(cluster: EmulatedEksCluster, kind: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a call that began an update.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_Update.html
    """
    number = str(uuid.uuid4())
    update = {
        "id": number,
        "status": "Successful",
        "type": kind,
        "params": [
            {
                "type": "Version" if kind == "VersionUpdate" else "DesiredSize",
                "value": json.dumps(dict(request), default=str),
            }
        ],
        "createdAt": now(),
        "errors": [],
    }
    cluster.updates[number] = update
    return {"update": update}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeUpdate."""
    update = cluster_of(aws, request["name"]).updates.get(request["updateId"])
    if update is None:
        raise not_found_error(f"No update found for ID: {request['updateId']}")
    return {"update": update}


def list_updates(aws: Aws, request: Mapping[str, Any]) -> list[str]:
    """Return the ids of all updates."""
    return list(cluster_of(aws, request["name"]).updates)
