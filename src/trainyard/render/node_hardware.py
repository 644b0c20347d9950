"""What the nodes of a queue have inside, as far as it is known and the same in all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeVar

from trainyard.catalog.compute_capabilities import compute_capability
from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import interface_plan
from trainyard.errors import TrainyardError
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

Fabric = Literal["none", "fabric-manager", "nvlsm"]
Value = TypeVar("Value")

# The GPUs whose NVSwitches need nvlsm before the fabric manager.
# https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html
_WITH_NVLSM = {"B200", "B300"}


class Hardware(NamedTuple):
    """None is unknown, or not the same in all nodes."""

    efa_interfaces: int | None
    gpus: int | None
    fabric: Fabric
    """What brings up the NVSwitches between the GPUs."""


def hardware(spec: Spec, queue: Queue) -> dict[str, Hardware]:
    """Return what the nodes of a queue have inside, by instance type."""
    named = [(name, group.efa) for group in spec.groups_in(queue) for name in group.instance_types]
    found: dict[str, Hardware] = {}
    for name, efa in named:
        one = Hardware(_efa_interfaces(name, efa), _gpus(name), _fabric(find(name)))
        # The same type with EFA and without it: nobody can tell the nodes apart by their type, so none is expected.
        found[name] = one if found.get(name, one) == one else one._replace(efa_interfaces=0)
    return found


def common(found: Iterable[Hardware]) -> Hardware:
    """Return what is the same in all of them."""
    listed = list(found)
    return Hardware(
        efa_interfaces=_same(one.efa_interfaces for one in listed),
        gpus=_same(one.gpus for one in listed),
        fabric=_same(one.fabric for one in listed) or "none",
    )


def _gpus(name: str) -> int | None:
    facts = find(name)
    return None if facts is None else facts.gpu_count


def cuda_architectures(spec: Spec) -> tuple[str, ...]:
    """Return what code for the GPUs of all queues is compiled for, such as 90 and 100, as far as that is known."""
    types = [find(name) for group in spec.node_groups() for name in group.instance_types]
    models = {one.accelerators.model for one in types if one is not None and one.accelerators is not None}
    found = {known for model in models if (known := compute_capability(model)) is not None}
    return tuple(sorted(found, key=int))


def _efa_interfaces(name: str, wanted: bool | None) -> int | None:  # noqa: FBT001  as the spec has it: None is the default
    if not uses_efa(name, wanted):
        return 0
    facts = find(name)
    if facts is None:
        return None
    try:
        return interface_plan(facts, "parallelcluster", efa=True).efa_count
    except TrainyardError:  # its cards are unknown
        return None


def _fabric(facts: InstanceType | None) -> Fabric:
    """Return what a type needs: NVSwitches are in what has NVLink between eight GPUs."""
    if facts is None or facts.accelerators is None or facts.nvlink_gb_s_bidirectional is None or facts.gpu_count != 8:
        return "none"
    return "nvlsm" if facts.accelerators.model in _WITH_NVLSM else "fabric-manager"


def _same(values: Iterable[Value | None]) -> Value | None:
    found = set(values)
    return found.pop() if len(found) == 1 else None
