"""What rules about SageMaker HyperPod ask of its files: the request for a cluster, and what lifecycle scripts read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.cloudformation.template import members, resources


class InstanceGroup(NamedTuple):
    """An instance group of a cluster, and where it stands."""

    cluster: str
    path: Path
    written: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return what messages call it."""
        name = self.written.get("InstanceGroupName")
        return f"instance group {name}" if isinstance(name, str) else "an instance group"


def instance_groups(document: Document) -> Iterator[InstanceGroup]:
    """Yield the instance groups of a request, or of every cluster of a CloudFormation template."""
    value = document.value if isinstance(document.value, dict) else {}
    if "ClusterName" in value:
        yield from _groups_of(document, value, (), str(value["ClusterName"]))
    for cluster in resources(document, "AWS::SageMaker::Cluster"):
        yield from _groups_of(document, cluster.properties, (*cluster.path, "Properties"), cluster.name)


def _groups_of(document: Document, holder: Mapping[str, Any], path: Path, cluster: str) -> Iterator[InstanceGroup]:
    listed = members(document, holder.get("InstanceGroups"), (*path, "InstanceGroups"))
    yield from (InstanceGroup(cluster, place, group) for place, group in listed if isinstance(group, dict))


def provisioning(document: Document) -> Mapping[str, Any]:
    """Return the provisioning parameters of a document; empty where it is none."""
    value = document.value
    return value if isinstance(value, dict) and "worker_groups" in value else {}


def worker_groups(document: Document) -> Iterator[tuple[tuple[str, int], Mapping[str, Any]]]:
    """Yield the groups of workers of provisioning parameters."""
    listed = provisioning(document).get("worker_groups")
    for index, group in enumerate(listed if isinstance(listed, tuple) else ()):
        if isinstance(group, dict):
            yield ("worker_groups", index), group
