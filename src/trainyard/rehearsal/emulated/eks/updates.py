"""Updates of clusters, node groups and add-ons. All of them succeed at once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster, cluster_of, not_found_error, now
from trainyard.rehearsal.emulated.resource import Aws


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
