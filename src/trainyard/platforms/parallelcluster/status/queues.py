"""The queues of a cluster: what its configuration asks for, and how many nodes there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.nodes import ClusterNode
from trainyard.operate.status.file_systems import ConfiguredMount


class ComputeResourceStatus(NamedTuple):
    """Nodes of a queue that are alike."""

    queue: str
    name: str
    instance_types: tuple[str, ...]
    least: int
    most: int
    capacity: str
    """on-demand, spot or capacity-block, as the queue is configured."""
    reservation: str | None
    """The id of a capacity reservation or Capacity Block, or the ARN of a resource group of them."""
    states: Mapping[str, int]
    """How many instances there are in each state."""

    @property
    def running(self) -> int:
        """How many run."""
        return self.states.get("running", 0)


def compute_resources(
    config: Mapping[str, Any] | None, nodes: Iterable[ClusterNode]
) -> tuple[ComputeResourceStatus, ...]:
    """Return the compute resources of a configuration with the instances that are there.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html
    """
    states: dict[tuple[str | None, str | None], Counter[str]] = {}
    for node in nodes:
        states.setdefault((node.queue, node.compute_resource), Counter())[node.state] += 1
    return tuple(_described(*configured, states) for configured in _configured(config))


def _configured(config: Mapping[str, Any] | None) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for queue in section(section(config, "Scheduling", {}), "SlurmQueues", []):
        for resource in section(queue, "ComputeResources", []):
            yield queue, resource


def section(mapping: Any, key: str, otherwise: Any) -> Any:
    """Return a part of a configuration that anybody may have written; ``otherwise`` where it is of another kind."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    if not isinstance(value, type(otherwise)):
        return otherwise
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else value


def _described(
    queue: Mapping[str, Any],
    resource: Mapping[str, Any],
    states: Mapping[tuple[str | None, str | None], Mapping[str, int]],
) -> ComputeResourceStatus:
    queue_name, name = str(queue.get("Name")), str(resource.get("Name"))
    target = section(resource, "CapacityReservationTarget", {}) or section(queue, "CapacityReservationTarget", {})
    named = [str(item.get("InstanceType")) for item in section(resource, "Instances", [])]
    types = named or [str(resource["InstanceType"])] if resource.get("InstanceType") or named else []
    return ComputeResourceStatus(
        queue_name,
        name,
        tuple(types),
        section(resource, "MinCount", 0),
        section(resource, "MaxCount", 10),
        _capacity(queue),
        target.get("CapacityReservationId") or target.get("CapacityReservationResourceGroupArn"),
        states.get((queue_name, name), {}),
    )


def _capacity(queue: Mapping[str, Any]) -> str:
    """Return ONDEMAND, SPOT or CAPACITY_BLOCK in the words of EC2."""
    words = {"ONDEMAND": "on-demand", "SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}
    return words.get(str(queue.get("CapacityType", "ONDEMAND")), str(queue.get("CapacityType")))


def mounts(config: Mapping[str, Any] | None) -> dict[str, list[ConfiguredMount]]:
    """Return what a configuration mounts, by the service: efs, fsx or ebs.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html
    """
    mounts_by_kind: dict[str, list[ConfiguredMount]] = {}
    for storage in section(config, "SharedStorage", []):
        kind = str(storage.get("StorageType", ""))
        settings = section(storage, f"{kind}Settings", {})
        id_ = settings.get("FileSystemId") or settings.get("VolumeId") or settings.get("FileCacheId")
        mount = ConfiguredMount(str(storage.get("MountDir")), str(storage.get("Name")), id_)
        mounts_by_kind.setdefault({"Ebs": "ebs", "Efs": "efs"}.get(kind, "fsx"), []).append(mount)
    return mounts_by_kind
