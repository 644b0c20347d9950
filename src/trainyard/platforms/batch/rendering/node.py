"""The nodes of a queue as its compute environment and its job definitions have to know them."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import Interface, interface_plan
from trainyard.errors import TrainyardError
from trainyard.render.neuron_cores import neuron_cores_of_chips
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

# As many as the installer of EFA sets aside for libfabric, 2 MiB each.
# https://github.com/ofiwg/libfabric/issues/9739
EFA_HUGE_PAGES = 5128
_HUGE_PAGE_MIB = 2
# ECS and the system need the rest. https://docs.aws.amazon.com/batch/latest/userguide/memory-management.html
_OF_MEMORY_FOR_JOBS = 0.9
# Of all memory. NCCL and data loaders hand data over in it; it is only taken as it fills.
_OF_MEMORY_TO_SHARE = 0.1


class Node(NamedTuple):
    """A node of a queue."""

    group: NodeGroup
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
        return sum(one.kind != "interface" for one in self.interfaces)

    @property
    def gpus(self) -> int:
        """How many NVIDIA GPUs there are."""
        return self.facts.gpu_count or 0

    @property
    def neuron_devices(self) -> int:
        """How many Trainium chips there are."""
        return self.facts.neuron_count or 0

    @property
    def ranks(self) -> int:
        """How many processes train on it: one for each GPU or NeuronCore, otherwise one."""
        if self.neuron_devices and self.facts.accelerators is not None:
            return self.neuron_devices * neuron_cores_of_chips()[self.facts.accelerators.model]
        return self.gpus or 1


def node_of(spec: Spec, group: NodeGroup) -> Node:
    """Return the node. Raises TrainyardError where the catalog lacks what a compute environment needs to know."""
    facts = find(group.instance_type)
    if facts is None or facts.vcpus is None or facts.memory_mib is None:
        raise TrainyardError(
            f"the vCPUs and the memory of {group.instance_type} are unknown, by which AWS Batch counts",
            where=".".join(map(str, (*group.path, "instance_type"))),
            hint="choose a type that `trainyard instances` lists",
        )
    plan = interface_plan(facts, "batch", efa=uses_efa(group.instance_type, group.efa))
    huge_pages = spec.batch.huge_pages
    if huge_pages is None:
        huge_pages = EFA_HUGE_PAGES if plan.efa_count else 0
    shared = spec.batch.shared_memory_gib
    return Node(
        group,
        facts,
        plan.interfaces,
        facts.vcpus,
        int((facts.memory_mib - huge_pages * _HUGE_PAGE_MIB) * _OF_MEMORY_FOR_JOBS),
        int(facts.memory_mib * _OF_MEMORY_TO_SHARE) if shared is None else shared * 1024,
        huge_pages,
    )
