"""How many series the exporters of a node have. None: of its instance type too little is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.launch.instance import Instance
from trainyard.launch.launch import launch_of
from trainyard.monitoring.exporters import gpu_queues
from trainyard.monitoring.kept_series import BUSY_MODES
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_HEAD_NODE_MODES = len(BUSY_MODES)


def head_series(spec: Spec) -> int | None:
    """Return those of the head node: Slurm knows of every node, whether it has power or not.

    Users, accounts and reasons of Slurm's jobs come on top, and nobody knows how many.
    """
    groups = list(spec.node_groups())
    slurm = _of(
        "trainyard-node-head",
        queue=len(spec.queues),
        # A compute resource has nodes that stay, those that come and go, or both.
        feature_set=sum((group.min_nodes > 0) + (group.max_nodes > group.min_nodes) for group in groups),
        node=sum(group.max_nodes for group in groups),
    )
    # Its CPUs are kept in every mode.
    modes = 0 if spec.monitoring.all_host_metrics else _HEAD_NODE_MODES
    facts = find(spec.head_node.instance_type)
    cpus = None if facts is None or facts.vcpus is None else modes * facts.vcpus
    return total([slurm, agent_series(), plain_series(spec, spec.head_node.instance_type), cpus])


def plain_series(spec: Spec, instance_type: str) -> int | None:
    """Return those of a node with nothing but node_exporter, as login nodes are."""
    return _node_exporter(find(instance_type), 1, all_host_metrics=spec.monitoring.all_host_metrics)


def compute_series(spec: Spec, group: NodeGroup) -> int | None:
    """Return those of one node; where it may be of several instance types, of the one with the most."""
    gpus = group.queue.name in gpu_queues(spec)
    kept = spec.monitoring.all_host_metrics
    lustre = sum(file_system.kind == "lustre" for file_system in spec.file_systems)
    each = [
        instance_series(instance, gpus=gpus, all_host_metrics=kept, lustre=lustre)
        for instance in launch_of(spec, group).instances
    ]
    counts = [count for count in each if count is not None]
    return max(counts) if counts and len(counts) == len(each) else None


def instance_series(instance: Instance, *, gpus: bool, all_host_metrics: bool, lustre: int = 0) -> int | None:
    """Return those of one node, whose GPUs are looked at or not, and of which all or what is read is kept.

    ``lustre`` is how many file systems of this kind it mounts.
    """
    if instance.plan is None:
        return None
    own = _of(
        "trainyard-node-compute", efa_interface=instance.plan.efa_count, lustre=lustre, **_neuron_counts(instance)
    )
    dcgm = [] if not gpus else [None if instance.gpus is None else _of("dcgm-exporter", gpu=instance.gpus)]
    return total(
        [own, _node_exporter(instance.facts, instance.private_addresses, all_host_metrics=all_host_metrics), *dcgm]
    )


def _neuron_counts(instance: Instance) -> dict[str, int]:
    if instance.accelerator != "neuron":
        return {}
    return {"neuron": 1, "neuron_core": instance.ranks, "neuron_device": instance.accelerators}


def agent_series() -> int:
    """Return those of a Prometheus itself."""
    return _of("prometheus")


def total(parts: Iterable[int | None]) -> int | None:
    """Return the sum, or None where a part of it is unknown."""
    listed = list(parts)
    counts = [count for count in listed if count is not None]
    return sum(counts) if len(counts) == len(listed) else None


def _node_exporter(facts: InstanceType | None, network_devices: int, *, all_host_metrics: bool) -> int | None:
    """Return those of node_exporter, all or what is kept of them. Network devices are those that carry IP."""
    if facts is None or facts.vcpus is None:
        return None
    disks = sum(disks.count for disks in facts.nvme or ())
    kept = "node-exporter" if all_host_metrics else "node-exporter-kept"
    return _of(kept, vcpu=facts.vcpus, network_device=network_devices, disk=disks)


def _of(exporter: str, **counts: int) -> int:
    """Return the series of one target, with those that Prometheus adds to each."""
    series = facts("series")
    each: dict[str, int] = series[exporter]
    added: int = series["scrape"]["target"]
    return added + each.get("target", 0) + sum(each[what] * count for what, count in counts.items())


def facts(section: str) -> dict[str, Any]:
    """Return the figures of a section."""
    return _merged(_data()[section])


def _merged(by_source: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {fact: value for group in by_source.values() for fact, value in group.items()}


@cache
def _data() -> Mapping[str, Any]:
    file = Path(__file__).with_name("sizing.yaml")
    content: Mapping[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
