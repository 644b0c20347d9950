"""How the picture says numbers, counts and places."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.counts import count_text
from trainyard.launch.capacity import CapacityTarget
from trainyard.spec.node_group import NodeGroup


def few(values: Sequence[str], most: int = 2) -> str:
    """Return the first of some values, and how many more there are."""
    rest = len(values) - most
    return ", ".join(values[:most]) + (f" and {rest} more" if rest > 0 else "")


def node_count(group: NodeGroup) -> str:
    """Return how many nodes there are: a number, or the least and the most."""
    if group.min_nodes == group.max_nodes:
        return f"{group.max_nodes:,}"
    return f"{group.min_nodes:,}–{group.max_nodes:,}"


def capacity_words(target: CapacityTarget) -> str:
    """Return where the instances of nodes come from."""
    match target.kind:
        case "on-demand":
            return "On-Demand"
        case "spot":
            return "Spot"
        case "capacity_block":
            return f"Capacity Block {target.reservation}"
        case "reservation":
            return f"reservation {target.reservation}"
    if target.group_arn is None:
        return count_text(len(target.members), "reservation")
    return f"reservation group {target.group_arn.rpartition(':group/')[2]}"
