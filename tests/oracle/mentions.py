"""What a cluster config mentions that has to exist in the AWS account it is validated against. Python 3.9 syntax.

It reads plain data and complains of nothing: where a section is not what it should be, the schema says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# What pcluster takes for a MaxCount that is left out: DEFAULT_MAX_COUNT in pcluster/constants.py.
_DEFAULT_MAX_COUNT = 10


@dataclass(frozen=True)
class ComputeResource:
    """A compute resource with what it has from its queue."""

    instance_types: tuple[str, ...]
    max_count: int
    subnets: tuple[str, ...]
    capacity_type: str
    reservation: str | None
    reservation_group: str | None


class Mentions:
    """The parts of a config, looked up by what they are."""

    def __init__(self, config: object) -> None:
        self._config = config

    @property
    def os(self) -> str:
        """The operating system of all nodes."""
        return str(at(self._config, "Image", "Os"))

    @property
    def head_node(self) -> Mapping[str, Any]:
        """The section HeadNode."""
        return section(at(self._config, "HeadNode"))

    @property
    def queues(self) -> list[Mapping[str, Any]]:
        """The sections below SlurmQueues."""
        return sections(at(self._config, "Scheduling", "SlurmQueues"))

    @property
    def login_pools(self) -> list[Mapping[str, Any]]:
        """The sections below LoginNodes.Pools."""
        return sections(at(self._config, "LoginNodes", "Pools"))

    @property
    def shared_storage(self) -> list[Mapping[str, Any]]:
        """The sections below SharedStorage."""
        return sections(at(self._config, "SharedStorage"))

    @cached_property
    def queue_subnets(self) -> list[str]:
        """Subnets of compute nodes, each once, in the order of the queues."""
        return _once(subnet for queue in self.queues for subnet in texts(at(queue, "Networking", "SubnetIds")))

    @cached_property
    def subnets(self) -> list[str]:
        """Every subnet of the config, each once, that of the head node first."""
        head = texts([at(self.head_node, "Networking", "SubnetId")])
        login = [subnet for pool in self.login_pools for subnet in texts(at(pool, "Networking", "SubnetIds"))]
        functions = texts(at(self._config, "DeploymentSettings", "LambdaFunctionsVpcConfig", "SubnetIds"))
        return _once([*head, *self.queue_subnets, *login, *functions])

    @cached_property
    def compute_resources(self) -> list[ComputeResource]:
        """The compute resources of all queues."""
        return [
            _compute_resource(queue, resource)
            for queue in self.queues
            for resource in sections(at(queue, "ComputeResources"))
        ]

    @cached_property
    def instance_types_by_image(self) -> dict[str, list[str]]:
        """For each custom AMI, the instance types that are to boot from it."""
        of_all = at(self._config, "Image", "CustomAmi")
        booting: dict[str, list[str]] = {}
        for nodes in [self.head_node, *self.login_pools, *self.queues]:
            image = at(nodes, "Image", "CustomAmi") or of_all
            if isinstance(image, str):
                booting.setdefault(image, []).extend(_instance_types_of(nodes))
        return booting

    def snapshot_sizes_gib(self) -> dict[str, int]:
        """For each EBS snapshot, the size of the volume that is to be made from it."""
        volumes = [section(at(storage, "EbsSettings")) for storage in self.shared_storage]
        return {str(volume["SnapshotId"]): volume.get("Size", 40) for volume in volumes if "SnapshotId" in volume}


def at(value: object, *keys: str) -> Any:
    """Return what stands below these keys, None where one of them is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def section(value: object) -> Mapping[str, Any]:
    """Return a section, an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def sections(value: object) -> list[Mapping[str, Any]]:
    """Return the sections of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    """Return the texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _compute_resource(queue: Mapping[str, Any], resource: Mapping[str, Any]) -> ComputeResource:
    target = section(at(resource, "CapacityReservationTarget") or at(queue, "CapacityReservationTarget"))
    return ComputeResource(
        instance_types=tuple(_instance_types(resource)),
        max_count=resource.get("MaxCount", _DEFAULT_MAX_COUNT),
        subnets=tuple(texts(at(queue, "Networking", "SubnetIds"))),
        capacity_type=str(queue.get("CapacityType", "ONDEMAND")),
        reservation=target.get("CapacityReservationId"),
        reservation_group=target.get("CapacityReservationResourceGroupArn"),
    )


def _instance_types_of(nodes: Mapping[str, Any]) -> list[str]:
    """Return the instance types of the head node, of a login pool or of all compute resources of a queue."""
    resources = sections(at(nodes, "ComputeResources")) or [nodes]
    return [name for resource in resources for name in _instance_types(resource)]


def _instance_types(resource: Mapping[str, Any]) -> list[str]:
    flexible = [at(instance, "InstanceType") for instance in sections(at(resource, "Instances"))]
    return texts([resource.get("InstanceType"), *flexible])


def _once(ids: Iterator[str] | Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ids))
