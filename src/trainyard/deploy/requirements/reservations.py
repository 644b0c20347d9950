"""The capacity reservations that nodes are to come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.finding import Path
from trainyard.launch.launch import Launch, launches
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec


class ReservationTarget(NamedTuple):
    """A reservation, a Capacity Block or a group of them, and the nodes that are to come from it."""

    launch: Launch
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


def reservation_targets(spec: Spec) -> Iterator[ReservationTarget]:
    """Yield them with the nodes of each."""
    for launch in launches(spec):
        capacity = None if launch.group is None else launch.group.capacity
        if isinstance(capacity, Reserved):
            written = getattr(capacity, capacity.key)
            id_ = ",".join(written) if isinstance(written, tuple) else str(written)
            yield ReservationTarget(launch, capacity.key, id_, (*launch.paths.nodes, "capacity", capacity.key))
