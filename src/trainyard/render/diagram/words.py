"""How the picture says numbers, counts and places."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.spec.capacity import Reserved
from trainyard.spec.node_group import NodeGroup


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def few(values: Sequence[str], most: int = 2) -> str:
    """Return the first of some values, and how many more there are."""
    rest = len(values) - most
    return ", ".join(values[:most]) + (f" and {rest} more" if rest > 0 else "")


def node_count(group: NodeGroup) -> str:
    """Return how many nodes there are: a number, or the least and the most."""
    if group.min_nodes == group.max_nodes:
        return f"{group.max_nodes:,}"
    return f"{group.min_nodes:,}–{group.max_nodes:,}"


def capacity_words(group: NodeGroup) -> str:
    """Return where the instances of nodes come from."""
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return {"on-demand": "On-Demand", "spot": "Spot"}[capacity]
    if capacity.capacity_block is not None:
        return f"Capacity Block {capacity.capacity_block}"
    if capacity.reservation is not None:
        return f"reservation {capacity.reservation}"
    if capacity.reservations is not None:
        return f"{len(capacity.reservations)} reservations"
    arn = capacity.reservation_group or ""
    return f"reservation group {arn.rpartition(':group/')[2]}"
