"""What one kind of nodes is, in words: accelerators, EFA, capacity and scratch, as far as the catalog knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trainyard.catalog.instance_type import InstanceType
from trainyard.launch.instance import Instance
from trainyard.launch.launch import Launch
from trainyard.platform_table import platform_of
from trainyard.render.diagram.words import capacity_words, counted, node_count
from trainyard.spec.cluster import Spec


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """One kind of nodes, as it is drawn."""

    title: str
    lines: tuple[str, ...]
    always: int
    """Nodes that run before anybody asks for more."""
    most: int
    """Nodes at most."""
    accelerators: int
    """Accelerators of one node, 0 where there are none or nobody knows."""
    efa: bool


def node_facts(spec: Spec, launch: Launch, *, named: bool) -> NodeFacts:
    """Return the facts of one kind of nodes, with its name where the queue has several."""
    chips = max(instance.accelerators for instance in launch.instances)
    lines = ([launch.nodes.name] if named else []) + list(_lines(spec, launch))
    title = f"{node_count(launch.nodes)} × {' or '.join(launch.instance_types)}"
    return NodeFacts(title, tuple(lines), launch.first_nodes, launch.max_nodes, chips, launch.instance.efa)


def _lines(spec: Spec, launch: Launch) -> Iterator[str]:
    """Yield what holds for every instance type that a node may have."""
    if accelerators := _alternatives(_accelerators, launch.instances):
        yield accelerators
    if launch.instance.efa:
        yield _alternatives(_fabric, launch.instances) or "EFA"
    if launch.first_nodes != launch.min_nodes:
        yield f"{launch.first_nodes:,} at first"
    yield capacity_words(launch.capacity)
    if drives := _alternatives(_drives, launch.instances):
        yield f"{spec.scratch.mount if platform_of(spec).mounts_scratch else 'containers'} on {drives}"


def _alternatives(words: Callable[[Instance, InstanceType], str], instances: Sequence[Instance]) -> str:
    """Return what there is to say about each of several types; nothing where one of them is unknown."""
    texts = dict.fromkeys(words(instance, instance.facts) for instance in instances if instance.facts is not None)
    if any(instance.facts is None for instance in instances) or not any(texts):
        return ""
    return " or ".join(text or "none" for text in texts)


def _accelerators(_: Instance, facts: InstanceType) -> str:
    chips = facts.accelerators
    memory = facts.accelerator_memory_mib
    each = "" if memory is None else f", {memory / 1024:,.0f} GiB each"
    return "" if chips is None else f"{chips.count} × {chips.model}{each}"


def _fabric(instance: Instance, facts: InstanceType) -> str:
    if instance.plan is None or not facts.has_efa:
        return "EFA"
    cards = instance.plan.efa_count
    rate = "" if facts.efa_gbit_s is None else f", {facts.efa_gbit_s:,} Gbit/s"
    return f"EFA on {counted(cards, 'card')}{rate}"


def _drives(_: Instance, facts: InstanceType) -> str:
    if facts.nvme:
        return " and ".join(f"{disks.count} × {disks.size_gb:,} GB NVMe" for disks in facts.nvme)
    return "" if facts.nvme_total_gb is None else f"{facts.nvme_total_gb:,} GB NVMe"
