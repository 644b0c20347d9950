"""Every kind of instance that a spec wants: how many, of which types, where, from which image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import interface_plan
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.platform_table import PLATFORMS
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue


class Nodes(NamedTuple):
    """Instances that are alike."""

    path: Path
    """Where they stand in the spec."""
    who: str
    """In the words of the spec: queue 'compute-gpu'."""
    instance_types: tuple[str, ...]
    type_path: Path
    least: int
    """How many start with the cluster."""
    most: int
    count_path: Path
    capacity: str
    """on-demand, spot, reservation, reservation_group or capacity_block."""
    subnet: str
    """private, public, or the id of a subnet."""
    subnet_path: Path
    ami: str | None
    """An image of the user's own."""
    ami_path: Path
    root_gib: int | None
    root_path: Path
    queue: Queue | None = None
    group: NodeGroup | None = None

    def addresses(self, platform: str) -> int:
        """Return how many private addresses one of them takes: one for each interface that is not EFA alone."""
        return max((_addresses(name, platform, self.group) for name in self.instance_types), default=1)


def all_nodes(spec: Spec) -> Iterator[Nodes]:
    """Yield the head node, the login nodes, the system nodes of EKS and the compute nodes; an environment has none."""
    head = spec.head_node
    if spec.platform == "parallelcluster" and not spec.is_environment:
        yield Nodes(
            ("head_node",), "the head node", (head.instance_type,), ("head_node", "instance_type"), 1, 1,
            ("head_node",), "on-demand", head.subnet, ("head_node", "subnet"), head.ami or spec.image.ami,
            ("head_node", "ami") if head.ami else ("image", "ami"), head.root_volume.size_gib,
            ("head_node", "root_volume", "size_gib"),
        )  # fmt: skip
        yield from _login_nodes(spec)
    if spec.platform == "eks" and not spec.is_environment:
        yield _system_nodes(spec)
    for group in spec.node_groups():
        yield _compute_nodes(spec, group)


def _system_nodes(spec: Spec) -> Nodes:
    system, path = spec.eks.system_nodes, ("eks", "system_nodes")
    return Nodes(
        path, "the system nodes", (system.instance_type,), (*path, "instance_type"), system.count, system.count,
        (*path, "count"), "on-demand", "private", path, None, path, None, path,
    )  # fmt: skip


def _login_nodes(spec: Spec) -> Iterator[Nodes]:
    for path, pool in spec.login_pools():
        yield Nodes(
            path, f"login pool {pool.name!r}", (pool.instance_type,), (*path, "instance_type"), pool.count, pool.count,
            (*path, "count"), "on-demand", pool.subnet, (*path, "subnet"), pool.ami or spec.image.ami,
            (*path, "ami") if pool.ami else ("image", "ami"), None, path,
        )  # fmt: skip


def _compute_nodes(spec: Spec, group: NodeGroup) -> Nodes:
    queue, place = group.queue, group.path[:2]
    # Slurm and Batch start nodes for jobs. EKS starts those at once, and a node group that lacks them is not made.
    at_first = group.desired_nodes if spec.platform == "eks" else group.min_nodes
    key = "instance_type" if group.settings.instance_types is None else "instance_types"
    return Nodes(
        group.path, f"queue {queue.name!r}", group.instance_types, (*group.path, key), at_first,
        group.max_nodes, (*group.path, "nodes"), group.capacity_kind, queue.subnet, (*place, "subnet"),
        queue.ami or spec.image.ami, (*place, "ami") if queue.ami else ("image", "ami"), queue.root_volume.size_gib,
        (*place, "root_volume", "size_gib"), queue, group,
    )  # fmt: skip


def _addresses(name: str, platform: str, group: NodeGroup | None) -> int:
    facts, layout = find(name), PLATFORMS[platform].interface_layout
    if facts is None or layout is None:
        return 1
    efa = group is not None and uses_efa(name, group.efa) and facts.has_efa is not False
    try:
        plan = interface_plan(facts, layout, efa=efa)
    except TrainyardError:
        return 1  # nobody knows its cards; one address is the least
    return sum(interface.kind != "efa-only" for interface in plan.interfaces)
