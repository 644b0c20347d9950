"""The nodes of a queue, told apart by kind: one view of the flat form and the long form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainyard.spec.capacity import Reserved, capacity_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path
    from trainyard.spec.queue import ComputeResource, Queue


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one instance type in one queue."""

    path: Path
    """Where they stand in the spec: their queue, or one of its compute resources."""
    queue: Queue
    name: str
    instance_type: str
    min_nodes: int
    max_nodes: int
    capacity: str | Reserved
    efa: bool | None
    placement_group: bool | None

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
        instance_type=nodes.instance_type or "",
        min_nodes=least,
        max_nodes=most,
        capacity=nodes.capacity,
        efa=nodes.efa,
        placement_group=nodes.placement_group,
    )


def _default_name(nodes: Queue | ComputeResource) -> str:
    return (nodes.instance_type or "").replace(".", "-")


def _free_name(name: str, taken: set[str]) -> str:
    return next(free for free in (name, *(f"{name}-{n}" for n in range(2, 99))) if free not in taken)
