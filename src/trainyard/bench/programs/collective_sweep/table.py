"""What nccl-tests prints, line by line, so that whoever reads its output reads this.

https://github.com/NVIDIA/nccl-tests/blob/master/src/util.cu
"""

from __future__ import annotations

import platform
from typing import NamedTuple


class SweepSizes(NamedTuple):
    """Which sizes are measured, and how often."""

    begin_bytes: int
    end_bytes: int
    factor: int
    iterations: int
    warmup: int

    def each(self) -> list[int]:
        """Return the sizes in bytes, the smallest first."""
        all_sizes = [self.begin_bytes]
        while all_sizes[-1] * self.factor <= self.end_bytes:
            all_sizes.append(all_sizes[-1] * self.factor)
        return all_sizes


class Timing(NamedTuple):
    """What one size took."""

    time_us: float
    wrong: int


def opening(backend: str, sizes: SweepSizes, note: str) -> str:
    """Return the lines before the devices."""
    return (
        f"# collective_sweep by the backend {backend}, in the format of nccl-tests; {note}\n"
        "# Collective test starting: all_reduce_perf\n"
        f"# Python {platform.python_version()} on {platform.machine()}\n"
        f"# nThread 1 nGpus 1 minBytes {sizes.begin_bytes} maxBytes {sizes.end_bytes} step: {sizes.factor}(factor) "
        f"warmup iters: {sizes.warmup} iters: {sizes.iterations} agg iters: 1 validation: 1 graph: 0\n"
        "#\n# Using devices"
    )


def device(rank: int, process: int, host: str, index: int, name: str) -> str:
    """Return the line of a rank."""
    return f"#  Rank {rank:2d} Group  0 Pid {process:6d} on {host:>10s} device {index:2d} [0x00] {name}"


def heading() -> str:
    """Return the three lines above the figures."""
    names = f"{'time':>7s} {'algbw':>7s} {'busbw':>7s} #wrong"
    units = f"{'(us)':>7s} {'(GB/s)':>7s} {'(GB/s)':>7s}       "
    return (
        f"#\n#{'out-of-place':>75s}{'in-place':>35s}\n"
        f"#{'size':>11s} {'count':>13s} {'type':>9s} {'redop':>7s} {'root':>7s}  {names}  {names}\n"
        f"#{'(B)':>11s} {'(elements)':>13s} {'':>9s} {'':>7s} {'':>7s}  {units}  {units}"
    )


def row(size_bytes: int, elements: int, ranks: int, both: tuple[Timing, Timing]) -> str:
    """Return the line of a size."""
    halves = "  ".join(_half(size_bytes, ranks, timing) for timing in both)
    return f"{size_bytes:12d} {elements:13d} {'float':>9s} {'sum':>7s} {-1:7d}  {halves}"


def ending(busbw_gb_s: list[float], wrong: int) -> str:
    """Return the lines below the figures."""
    mean = sum(busbw_gb_s) / max(len(busbw_gb_s), 1)
    verdict = "FAILED" if wrong else "OK"
    return (
        f"# Out of bounds values : {wrong} {verdict}\n# Avg bus bandwidth    : {mean:g}\n#\n"
        "# Collective test concluded: all_reduce_perf"
    )


def busbw_gb_s(size_bytes: int, ranks: int, time_us: float) -> float:
    """Return the bus bandwidth: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md."""
    return size_bytes / time_us / 1e3 * 2 * (ranks - 1) / ranks


def _half(size_bytes: int, ranks: int, timing: Timing) -> str:
    algbw = size_bytes / timing.time_us / 1e3
    return f"{timing.time_us:7.2f} {algbw:7.2f} {busbw_gb_s(size_bytes, ranks, timing.time_us):7.2f} {timing.wrong:6d}"
