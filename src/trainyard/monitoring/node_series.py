"""How many series the exporters of a node have. None: of its instance type too little is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import Launcher, interface_plan
from trainyard.errors import TrainyardError
from trainyard.monitoring.exporters import gpu_queues
from trainyard.monitoring.sizing_facts import facts
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


class _Network(NamedTuple):
    devices: int
    """Those that carry IP."""
    efa_interfaces: int


def head_series(spec: Spec) -> int | None:
    """Return those of the head node: Slurm knows of every node, whether it has power or not.

    Users, accounts and reasons of Slurm's jobs come on top, and nobody knows how many.
    """
    groups = list(spec.node_groups())
    slurm = _of(
        "trainyard-node-head",
        queue=len(spec.queues),
        # A compute resource has nodes that stay, those that come and go, or both.
        feature_set=sum((one.min_nodes > 0) + (one.max_nodes > one.min_nodes) for one in groups),
        node=sum(one.max_nodes for one in groups),
    )
    return total([slurm, agent_series(), plain_series(spec.head_node.instance_type)])


def plain_series(instance_type: str) -> int | None:
    """Return those of a node with nothing but node_exporter, as login nodes are."""
    return _node_exporter(instance_type, _Network(1, 0))


def compute_series(spec: Spec, group: NodeGroup) -> int | None:
    """Return those of one node; where it may be of several instance types, of the one with the most."""
    gpus = group.queue.name in gpu_queues(spec)
    launcher = platform_of(spec).interface_launcher
    each = [instance_series(name, gpus=gpus, efa=group.efa, launcher=launcher) for name in group.instance_types]
    known = [one for one in each if one is not None]
    return max(known) if known and len(known) == len(each) else None


def instance_series(
    name: str, *, gpus: bool, efa: bool | None = None, launcher: Launcher = "parallelcluster"
) -> int | None:
    """Return those of one node, whose GPUs are looked at or not; it has EFA by default where it can."""
    network = _network(name, efa, launcher)
    if network is None:
        return None
    own = _of("trainyard-node-compute", efa_interface=network.efa_interfaces)
    return total([own, _node_exporter(name, network), *([_dcgm(name)] if gpus else [])])


def agent_series() -> int:
    """Return those of a Prometheus itself."""
    return _of("prometheus")


def total(parts: Iterable[int | None]) -> int | None:
    """Return the sum, or None where a part of it is unknown."""
    listed = list(parts)
    known = [one for one in listed if one is not None]
    return sum(known) if len(known) == len(listed) else None


def _node_exporter(name: str, network: _Network) -> int | None:
    known = find(name)
    if known is None or known.vcpus is None:
        return None
    disks = sum(one.count for one in known.nvme or ())
    return _of("node-exporter", vcpu=known.vcpus, network_device=network.devices, disk=disks)


def _dcgm(name: str) -> int | None:
    known = find(name)
    return None if known is None or known.gpu_count is None else _of("dcgm-exporter", gpu=known.gpu_count)


def _network(name: str, wanted: bool | None, launcher: Launcher) -> _Network | None:  # noqa: FBT001  as the spec has it
    known = find(name)
    if known is None:
        return None
    try:
        plan = interface_plan(known, launcher, efa=uses_efa(name, wanted))
    except TrainyardError:  # its cards are unknown
        return None
    return _Network(sum(one.kind != "efa-only" for one in plan.interfaces), plan.efa_count)


def _of(exporter: str, **counts: int) -> int:
    """Return the series of one target, with those that Prometheus adds to each."""
    series = facts("series")
    each: dict[str, int] = series[exporter]
    added: int = series["scrape"]["target"]
    return added + each.get("target", 0) + sum(each[what] * count for what, count in counts.items())
