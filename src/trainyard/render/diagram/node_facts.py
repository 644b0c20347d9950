"""What one kind of nodes is, in words: accelerators, EFA, capacity and scratch, as far as the catalog knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import interface_plan
from trainyard.render.diagram.words import capacity_words, counted, node_count
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


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


def node_facts(spec: Spec, group: NodeGroup, *, named: bool) -> NodeFacts:
    """Return the facts of one kind of nodes, with its name where the queue has several."""
    known = [find(name) for name in group.instance_types]
    chips = max(
        (one.accelerators.count for one in known if one is not None and one.accelerators is not None), default=0
    )
    efa = uses_efa(group.instance_type, group.efa)
    lines = ([group.name] if named else []) + list(_lines(spec, group, known, efa=efa))
    title = f"{node_count(group)} × {' or '.join(group.instance_types)}"
    return NodeFacts(title, tuple(lines), group.desired_nodes, group.max_nodes, chips, efa)


def _lines(spec: Spec, group: NodeGroup, known: Sequence[InstanceType | None], *, efa: bool) -> Iterator[str]:
    """Yield what holds for every instance type that a node may have."""
    if accelerators := _alternatives(_accelerators, known):
        yield accelerators
    if efa:
        yield _alternatives(_fabric, known) or "EFA"
    if group.desired_nodes != group.min_nodes:
        yield f"{group.desired_nodes:,} at first"
    yield capacity_words(group)
    if drives := _alternatives(_drives, known):
        yield f"{'containers' if spec.platform == 'eks' else spec.scratch.mount} on {drives}"


def _alternatives(words: Callable[[InstanceType], str], known: Sequence[InstanceType | None]) -> str:
    """Return what there is to say about each of several types; nothing where one of them is unknown."""
    if None in known:
        return ""
    said = dict.fromkeys(words(one) for one in known if one is not None)
    return " or ".join(one or "none" for one in said) if any(said) else ""


def _accelerators(facts: InstanceType) -> str:
    chips = facts.accelerators
    memory = facts.accelerator_memory_mib
    each = "" if memory is None else f", {memory / 1024:,.0f} GiB each"
    return "" if chips is None else f"{chips.count} × {chips.model}{each}"


def _fabric(facts: InstanceType) -> str:
    if facts.cards is None or not facts.has_efa:
        return "EFA"
    cards = interface_plan(facts, "parallelcluster", efa=True).efa_count
    rate = "" if facts.efa_gbit_s is None else f", {facts.efa_gbit_s:,} Gbit/s"
    return f"EFA on {counted(cards, 'card')}{rate}"


def _drives(facts: InstanceType) -> str:
    if facts.nvme:
        return " and ".join(f"{disks.count} × {disks.size_gb:,} GB NVMe" for disks in facts.nvme)
    return "" if facts.nvme_total_gb is None else f"{facts.nvme_total_gb:,} GB NVMe"
