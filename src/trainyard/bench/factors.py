"""How nccl-tests makes bus bandwidth of bytes by time: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md."""

from __future__ import annotations

# By collective: how often each byte has to pass a link of a rank, for n ranks, had the network no hierarchy.
_TWICE = {"all_reduce"}
_ONCE_BUT_OWN = {"all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter"}
_ONCE = {"broadcast", "reduce", "sendrecv"}
COLLECTIVES = _TWICE | _ONCE_BUT_OWN | _ONCE


def busbw_factor(collective: str, ranks: int) -> float | None:
    """Return bus bandwidth by algorithm bandwidth, or None for a collective without a definition."""
    if collective in _TWICE:
        return 2 * (ranks - 1) / ranks
    if collective in _ONCE_BUT_OWN:
        return (ranks - 1) / ranks
    return 1.0 if collective in _ONCE else None
