"""The capacity reservations that a spec names by their ids."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec


def named_reservations(spec: Spec) -> tuple[str, ...]:
    """Return them, each once. What is in a resource group of somebody else's, only that group knows."""
    return tuple(dict.fromkeys(_named(spec)))


def _named(spec: Spec) -> Iterator[str]:
    for group in spec.node_groups():
        if isinstance(group.capacity, Reserved):
            one = group.capacity
            yield from (id_ for id_ in (one.reservation, one.capacity_block, *(one.reservations or ())) if id_)
