"""The nodes of a queue, told apart by kind: one view of the flat form and the long form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.finding import Path
from trainyard.spec.capacity import Reserved, capacity_kind
from trainyard.spec.queue import ComputeResource, Queue


class NodeGroup(NamedTuple):
    """Nodes of one kind in one queue."""

    path: Path
    """Where they stand in the spec: their queue, or one of its compute resources."""
    queue: Queue
    name: str
    instance_types: tuple[str, ...]
    """The instance types of which every node is one; nearly always just one."""
    min_nodes: int
    max_nodes: int
    capacity: str | Reserved
    efa: bool | None
    placement_group: bool | None
    settings: Queue | ComputeResource
    """What else is written about them: in the flat form the queue itself."""

    @property
    def instance_type(self) -> str:
        """Return the instance type, the first where there are several: they are as good as alike."""
        return self.instance_types[0]

    @property
    def desired_nodes(self) -> int:
        """Return how many nodes EKS starts at first: what is written, otherwise the least."""
        nodes = self.settings.nodes
        desired = None if isinstance(nodes, int) else nodes.desired
        return self.min_nodes if desired is None else desired

    @property
    def capacity_kind(self) -> str:
        """Return on-demand, spot, reservation, reservation_group or capacity_block."""
        return capacity_kind(self.capacity)


def groups_of(queue: Queue, path: Path) -> Iterator[NodeGroup]:
    """Yield the kinds of nodes of a queue that stands at a path."""
    if queue.compute_resources is None:
        yield _group(path, queue, queue, _default_name(queue))
        return
    taken: set[str] = set()
    for position, resource in enumerate(queue.compute_resources):
        name = resource.name or _free_name(_default_name(resource), taken)
        taken.add(name)
        yield _group((*path, "compute_resources", position), queue, resource, name)


def _group(path: Path, queue: Queue, nodes: Queue | ComputeResource, name: str) -> NodeGroup:
    least, most = (nodes.nodes, nodes.nodes) if isinstance(nodes.nodes, int) else (nodes.nodes.min, nodes.nodes.max)
    return NodeGroup(
        path=path,
        queue=queue,
        name=name,
        instance_types=_types(nodes),
        min_nodes=least,
        max_nodes=most,
        capacity=nodes.capacity,
        efa=nodes.efa,
        placement_group=nodes.placement_group,
        settings=nodes,
    )


def _types(nodes: Queue | ComputeResource) -> tuple[str, ...]:
    return nodes.instance_types or (nodes.instance_type or "",)


def _default_name(nodes: Queue | ComputeResource) -> str:
    return _types(nodes)[0].replace(".", "-")


def _free_name(name: str, taken: set[str]) -> str:
    return next(free for free in (name, *(f"{name}-{n}" for n in range(2, 99))) if free not in taken)
