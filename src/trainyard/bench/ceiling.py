"""What the hardware allows: the bus bandwidth that no run can exceed, and which part of the hardware says so.

Bus bandwidth is made so that a flat network shows the speed of its links, whatever the number of ranks:
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
A cluster is not flat: what is reduced inside a node over NVLink crosses the network once and not eight times.
So two nodes can show more than their network cards carry, and more nodes never add their bandwidths:
https://github.com/NVIDIA/nccl-tests/issues/22 https://github.com/NVIDIA/nccl-tests/issues/196
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from trainyard.bench.machine import MachineType

Bound = Literal["network", "nvlink"]
_TO_EVERYBODY = {"alltoall", "alltoallv", "gather", "scatter"}
# By collective: how often each byte has to pass a link of a rank, for n ranks, had the network no hierarchy.
_TWICE = {"all_reduce"}
_ONCE_BUT_OWN = {"all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter"}
_ONCE = {"broadcast", "reduce", "sendrecv"}


class Ceiling(NamedTuple):
    """The most that a run can show."""

    busbw_gb_s: float
    bound: Bound
    why: str
    known: bool = True
    """Whether nothing else can be tighter; False where the network is not known."""


def ceiling(machine: MachineType, nodes: int, gpus_per_node: int, collective: str) -> Ceiling | None:
    """Return it, or None where neither the machine's network nor its links inside a node are known."""
    within = _within(machine, gpus_per_node, collective)
    if nodes <= machine.nvlink_nodes:
        return within
    across = _across(machine, nodes, gpus_per_node, collective)
    if across is None:
        return None if within is None else within._replace(why=f"{within.why}; its network is not known", known=False)
    if within is not None and within.busbw_gb_s < across.busbw_gb_s:
        return within._replace(why=f"{within.why}; the network would allow {across.busbw_gb_s:,.0f} ({across.why})")
    return across


def _within(machine: MachineType, gpus: int, collective: str) -> Ceiling | None:
    """Return what the links inside a node allow."""
    busbw_gb_s = machine.node_busbw_gb_s.get(collective)
    if busbw_gb_s is None or (gpus == 1 and machine.nvlink_nodes == 1):
        return None
    why = f"{gpus} {machine.accelerator} on their links reach {busbw_gb_s:,.0f} GB/s"
    return Ceiling(busbw_gb_s, "nvlink", why)


def _across(machine: MachineType, nodes: int, gpus: int, collective: str) -> Ceiling | None:
    factor = busbw_factor(collective, nodes * gpus)
    if machine.network_gb_s is None or factor is None:
        return None
    domain = min(machine.nvlink_nodes, nodes)
    name = "a node" if domain == 1 else f"the {domain} nodes of an NVLink domain"
    # A GPU sends through the cards beside it, so with some of the GPUs idle their cards are idle too.
    network, inside = machine.network_gb_s * min(gpus / machine.gpus, 1) * domain, gpus * domain
    if collective == "all_reduce" and nodes <= 2 * domain:
        why = f"each byte crosses the {network:,.0f} GB/s of {name} once, and counts {factor:.3g} times"
        return Ceiling(network * factor, "network", why)
    if collective in _TO_EVERYBODY:
        ranks = nodes * gpus
        each = network * (ranks - 1) / (inside * (ranks - inside))
        return Ceiling(
            each, "network", f"{inside} GPUs of {name} share {network:,.0f} GB/s, and all but theirs crosses it"
        )
    # Of sendrecv's ring only one of the connections of a domain leaves it each way.
    return Ceiling(network, "network", f"the network cards of {name} carry {network:,.0f} GB/s each way")


def busbw_factor(collective: str, ranks: int) -> float | None:
    """Return bus bandwidth by algorithm bandwidth, or None for a collective without a definition."""
    if collective in _TWICE:
        return 2 * (ranks - 1) / ranks
    if collective in _ONCE_BUT_OWN:
        return (ranks - 1) / ranks
    return 1.0 if collective in _ONCE else None
