"""The nodes of a queue as its compute environment and its job definitions have to know them."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.interfaces import Interface
from trainyard.errors import TrainyardError
from trainyard.launch.launch import Launch, compute_launches
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

# As many as the installer of EFA sets aside for libfabric, 2 MiB each.
# https://github.com/ofiwg/libfabric/issues/9739
EFA_HUGE_PAGES = 5128
_HUGE_PAGE_MIB = 2
# ECS and the system need the rest. https://docs.aws.amazon.com/batch/latest/userguide/memory-management.html
_OF_MEMORY_FOR_JOBS = 0.9
# Of all memory. NCCL and data loaders hand data over in it; it is only taken as it fills.
_OF_MEMORY_TO_SHARE = 0.1


class BatchNode(NamedTuple):
    """A node of a queue."""

    launch: Launch
    facts: InstanceType
    interfaces: tuple[Interface, ...]
    vcpus: int
    memory_mib: int
    """What a container may have."""
    shared_memory_mib: int
    huge_pages: int

    @property
    def efa_devices(self) -> int:
        """How many devices of EFA there are."""
        return sum(interface.kind != "interface" for interface in self.interfaces)

    @property
    def has_drives(self) -> bool:
        """Whether it has NVMe drives of its own."""
        return self.launch.instance.has_drives

    @property
    def gpus(self) -> int:
        """How many NVIDIA GPUs there are."""
        return self.facts.gpu_count or 0

    @property
    def neuron_devices(self) -> int:
        """How many Trainium chips there are."""
        return self.facts.neuron_count or 0


def node_of(spec: Spec, queue: Queue) -> BatchNode:
    """Return the nodes of a queue, which has one kind of them on AWS Batch.

    Raises TrainyardError where the catalog lacks what a compute environment needs to know.
    """
    launch = compute_launches(spec, queue)[0]
    instance, facts = launch.instance, launch.instance.facts
    if facts is None or facts.vcpus is None or facts.memory_mib is None:
        raise TrainyardError(
            f"the vCPUs and the memory of {instance.name} are unknown, by which AWS Batch counts",
            where=".".join(map(str, (*launch.paths.nodes, "instance_type"))),
            hint="choose a type that `trainyard instances` lists",
        )
    plan = instance.known_plan()
    huge_pages = spec.batch.huge_pages
    if huge_pages is None:
        huge_pages = EFA_HUGE_PAGES if plan.efa_count else 0
    shared = spec.batch.shared_memory_gib
    return BatchNode(
        launch,
        facts,
        plan.interfaces,
        facts.vcpus,
        int((facts.memory_mib - huge_pages * _HUGE_PAGE_MIB) * _OF_MEMORY_FOR_JOBS),
        int(facts.memory_mib * _OF_MEMORY_TO_SHARE) if shared is None else shared * 1024,
        huge_pages,
    )
