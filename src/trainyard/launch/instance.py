"""An instance type as a node group launches it: its facts, its network interfaces and what is inside.

None is unknown everywhere, never zero or no.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path as FilePath
from typing import Literal, NamedTuple, TypeVar

import yaml

from trainyard.catalog.gpus import compute_capability, gpu_fabric
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import InterfaceLayout, InterfacePlan, interface_plan
from trainyard.errors import TrainyardError

Fabric = Literal["none", "fabric-manager", "nvlsm"]
Vendor = Literal["nvidia", "neuron"]
Value = TypeVar("Value")


class Hardware(NamedTuple):
    """What trainyard-node looks for on a node. None is unknown, or not the same in all nodes."""

    efa_interfaces: int | None
    gpus: int | None
    fabric: Fabric
    """What brings up the NVSwitches between the GPUs."""


@dataclass(frozen=True)  # without slots: its plan is made once, when it is asked for
class Instance:
    """One instance type, with EFA or without."""

    name: str
    facts: InstanceType | None
    """None where the catalog does not know the type."""
    efa: bool
    """Whether it is launched with EFA: as asked for, otherwise wherever the type is known to have it."""
    layout: InterfaceLayout

    @cached_property
    def plan(self) -> InterfacePlan | None:
        """Its network interfaces; None where its cards are unknown, or it is to have EFA and has none."""
        try:
            return None if self.facts is None else interface_plan(self.facts, self.layout, efa=self.efa)
        except TrainyardError:
            return None

    def known_plan(self) -> InterfacePlan:
        """Return its network interfaces. Raises TrainyardError where there is no plan, which says why."""
        if self.facts is None:
            raise TrainyardError(f"the network cards of {self.name} are unknown")
        return interface_plan(self.facts, self.layout, efa=self.efa)

    @property
    def efa_interfaces(self) -> int | None:
        """How many EFA interfaces it comes up with."""
        if not self.efa:
            return 0
        return None if self.plan is None else self.plan.efa_count

    @property
    def private_addresses(self) -> int:
        """How many private addresses it takes: one for each interface that is not EFA alone; one where unknown."""
        has_none = self.facts is not None and self.facts.has_efa is False
        plan = replace(self, efa=False).plan if has_none else self.plan
        return 1 if plan is None else sum(interface.kind != "efa-only" for interface in plan.interfaces)

    @property
    def accelerator(self) -> Vendor | None:
        """Which accelerators it has: nvidia or neuron; None for no accelerators, and for an unknown type."""
        if self.facts is None or self.facts.accelerators is None:
            return None
        return "nvidia" if self.facts.accelerators.vendor == "nvidia" else "neuron"

    @property
    def accelerators(self) -> int:
        """How many accelerators it is known to have."""
        return 0 if self.facts is None or self.facts.accelerators is None else self.facts.accelerators.count

    @property
    def gpus(self) -> int | None:
        """How many NVIDIA GPUs it has."""
        return None if self.facts is None else self.facts.gpu_count

    @property
    def gpu_compute_capability(self) -> int | None:
        """The compute capability of its GPUs without the dot, such as 90."""
        if self.facts is None or self.facts.accelerators is None:
            return None
        capability = compute_capability(self.facts.accelerators.model)
        return None if capability is None else int(capability)

    @property
    def ranks(self) -> int:
        """How many processes train on it: one for each GPU or NeuronCore, otherwise one."""
        if self.accelerator == "neuron" and self.facts is not None and self.facts.accelerators is not None:
            return self.accelerators * _neuron_cores_of_chips().get(self.facts.accelerators.model, 1)
        return self.accelerators or 1

    @property
    def has_drives(self) -> bool:
        """Whether it is known to have NVMe drives of its own."""
        return self.facts is not None and bool(self.facts.nvme or self.facts.nvme_total_gb)

    @property
    def fabric(self) -> Fabric:
        """What brings up its NVSwitches, which are in what has NVLink between eight GPUs."""
        facts = self.facts
        if facts is None or facts.accelerators is None or facts.gpu_count != 8:
            return "none"
        if facts.nvlink_gb_s_bidirectional is None:
            return "none"
        return gpu_fabric(facts.accelerators.model)

    @property
    def hardware(self) -> Hardware:
        """What there is to look for on it."""
        return Hardware(self.efa_interfaces, self.gpus, self.fabric)


def instance(name: str, layout: InterfaceLayout, *, efa: bool | None) -> Instance:
    """Return an instance of a type; ``efa`` as the spec has it, None for the default."""
    facts = find(name)
    return Instance(name, facts, bool(facts is not None and facts.has_efa) if efa is None else efa, layout)


def hardware_by_type(instances: Iterable[Instance]) -> dict[str, Hardware]:
    """Return what there is to look for on nodes, by instance type.

    Where a type is launched with EFA and without it, nobody can tell the nodes apart by their type, so no EFA
    interface is expected of them.
    """
    by_type: dict[str, Hardware] = {}
    for instance in instances:
        former = by_type.setdefault(instance.name, instance.hardware)
        if former != instance.hardware:
            by_type[instance.name] = instance.hardware._replace(efa_interfaces=0)
    return by_type


def common_hardware(each: Iterable[Hardware]) -> Hardware:
    """Return what is the same in all of them."""
    listed = list(each)
    return Hardware(
        efa_interfaces=_same(hardware.efa_interfaces for hardware in listed),
        gpus=_same(hardware.gpus for hardware in listed),
        fabric=_same(hardware.fabric for hardware in listed) or "none",
    )


@cache
def _neuron_cores_of_chips() -> dict[str, int]:
    """Return the number of NeuronCores of one chip by the chip's model."""
    with FilePath(__file__).with_name("neuron_cores.yaml").open("rb") as file:
        cores: dict[str, int] = yaml.load(file, Loader=yaml.CSafeLoader)
    return cores


def _same(values: Iterable[Value | None]) -> Value | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
