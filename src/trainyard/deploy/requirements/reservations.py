"""The capacity reservations that nodes are to come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.deploy.requirements.nodes import Nodes, all_nodes
from trainyard.finding import Path
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec


class WantedReservation(NamedTuple):
    """A reservation, a Capacity Block or a group of them, and the nodes that are to come from it."""

    nodes: Nodes
    kind: str
    """reservation, reservations, reservation_group or capacity_block."""
    id: str
    """Of a group its ARN; of several reservations their ids, with commas."""
    path: Path

    @property
    def noun(self) -> str:
        """Return what to call it."""
        return {"reservation_group": "reservation group", "capacity_block": "Capacity Block"}.get(
            self.kind, "reservation"
        )


def wanted_reservations(spec: Spec) -> Iterator[WantedReservation]:
    """Yield them with the nodes of each."""
    for nodes in all_nodes(spec):
        capacity = None if nodes.group is None else nodes.group.capacity
        if isinstance(capacity, Reserved):
            written = getattr(capacity, capacity.key)
            id_ = ",".join(written) if isinstance(written, tuple) else str(written)
            yield WantedReservation(nodes, capacity.key, id_, (*nodes.path, "capacity", capacity.key))
