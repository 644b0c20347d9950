"""Tags of clusters, node groups, add-ons and whatever else has an ARN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.rehearsal.emulated.eks.state import EmulatedEksCluster, clusters, not_found_error
from trainyard.rehearsal.emulated.resource import Aws


def tag(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer TagResource."""
    _tags(aws, request["resourceArn"]).update(request["tags"])
    return {}


def untag(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UntagResource."""
    tags = _tags(aws, request["resourceArn"])
    for key in request["tagKeys"]:
        tags.pop(key, None)
    return {}


def list_tags(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ListTagsForResource."""
    return {"tags": _tags(aws, request["resourceArn"])}


def _tags(aws: Aws, arn: str) -> dict[str, str]:
    for cluster in clusters(aws).values():
        for thing in _things(cluster):
            if arn in thing.values():
                tags: dict[str, str] = thing["tags"]
                return tags
    raise not_found_error(f"The specified resource could not be found: {arn}")


def _things(cluster: EmulatedEksCluster) -> Iterator[dict[str, Any]]:
    yield cluster.described
    for those in (cluster.node_groups, cluster.addons, cluster.access_entries, cluster.pod_identities):
        yield from those.values()
