"""The nodes of a lab: those that ParallelCluster would make, by its names, each a slurmd on a port of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trainyard.launch.instance import Instance
from trainyard.launch.launch import Launch, compute_launches
from trainyard.spec.cluster import Spec

# Slurm wants figures where the catalog has none.
_UNKNOWN_CPUS, _UNKNOWN_MEMORY_MIB = 2, 1024
# ParallelCluster's SchedulableMemory: docs.aws.amazon.com/parallelcluster/latest/ug/slurm-mem-based-scheduling-v3.html
_SCHEDULABLE_SHARE = 0.95


class LabNode(NamedTuple):
    """A node of Slurm."""

    name: str
    """As ParallelCluster calls it: queue, st for static or dy for dynamic, compute resource, number."""
    queue: str
    is_static: bool
    """Whether it runs from the beginning; a dynamic node starts when a job wants it."""
    cpus: int
    memory_mib: int
    gpus: int
    gpu_model: str
    """In Slurm's words, such as h100; empty without GPUs."""
    block: str = ""
    """The UltraServer that it is of, which shares NVLink; empty where it is of none."""
    instance_type: str = ""


def lab_nodes(spec: Spec, most: int | None = None) -> tuple[LabNode, ...]:
    """Return the nodes of a spec, at most so many of each kind; the static ones come first."""
    return tuple(node for launch in compute_launches(spec) for node in _nodes(launch, most))


def _nodes(launch: Launch, most: int | None) -> Iterator[LabNode]:
    group, instance = launch.nodes, launch.instance
    queue = launch.queue_name or ""
    kinds = (("st", launch.min_nodes), ("dy", launch.max_nodes - launch.min_nodes))
    left = launch.max_nodes if most is None else most
    in_block = _nodes_in_block(instance, launch.max_nodes)
    for kind, count in kinds:
        for number in range(1, min(count, left) + 1):
            name = f"{queue}-{kind}-{group.name}-{number}"
            block = f"{queue}-{group.name}-{kind}-{1 + (number - 1) // in_block}" if in_block else ""
            yield LabNode(name, queue, kind == "st", *_size(instance), *_gpus(instance), block, instance.name)
        left -= min(count, left)


def _nodes_in_block(instance: Instance, nodes: int) -> int:
    """Return how many nodes the UltraServer has that holds so many, or the largest one; 0 for other types."""
    sizes = (instance.facts and instance.facts.ultraserver_instances) or ()
    return min((size for size in sizes if size >= nodes), default=max(sizes, default=0))


def _size(instance: Instance) -> tuple[int, int]:
    facts = instance.facts
    if facts is None or facts.vcpus is None or facts.memory_mib is None:
        return _UNKNOWN_CPUS, _UNKNOWN_MEMORY_MIB
    return facts.cores or facts.vcpus, int(facts.memory_mib * _SCHEDULABLE_SHARE)


def _gpus(instance: Instance) -> tuple[int, str]:
    facts = instance.facts
    if facts is None or facts.accelerators is None or instance.accelerator != "nvidia":
        return 0, ""
    return facts.accelerators.count, facts.accelerators.model.split()[-1].lower()


def queues(nodes: Sequence[LabNode]) -> dict[str, list[LabNode]]:
    """Return the nodes by queue, in the order of the spec."""
    by_queue: dict[str, list[LabNode]] = {}
    for node in nodes:
        by_queue.setdefault(node.queue, []).append(node)
    return by_queue
