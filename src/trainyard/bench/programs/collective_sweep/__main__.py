"""``python3 -m collective_sweep``: what a rank does."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from .rendezvous import MeetingError
from .table import SweepSizes, Timing, busbw_gb_s, device, ending, heading, opening, row

FLOAT_BYTES = 4
_MOST_LETTERS = 200
# Small whole numbers: their sums over thousands of ranks are exact in a float, in whatever order.
_PATTERN = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def main() -> int:
    """Measure, and return the exit status."""
    arguments = _arguments()
    sizes = SweepSizes(arguments.begin, arguments.end, arguments.factor, arguments.iterations, arguments.warmup)
    rank, ranks = int(os.environ.get("SLURM_PROCID", "0")), int(os.environ.get("SLURM_NTASKS", "1"))
    try:
        group = _group(arguments.backend, rank, ranks)
        wrong = _measured(group, arguments.backend, sizes)
        group.close()
    except (MeetingError, OSError, ImportError, RuntimeError) as error:
        print(f"collective_sweep: error: rank {rank}: {error}", file=sys.stderr, flush=True)
        return 3
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="collective_sweep", description=__doc__)
    parser.add_argument("--backend", choices=("tcp", "gloo", "nccl"), required=True)
    parser.add_argument("--begin", type=int, required=True, metavar="BYTES")
    parser.add_argument("--end", type=int, required=True, metavar="BYTES")
    parser.add_argument("--factor", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=5)
    return parser.parse_args()


def _group(backend: str, rank: int, ranks: int) -> Any:
    """Return the ranks as the backend has them."""
    job, step = os.environ.get("SLURM_JOB_ID", str(os.getppid())), os.environ.get("SLURM_STEP_ID", "0")
    file = Path(f".meeting-{job}-{step}")
    if backend == "tcp":
        from .ring import Ring  # not needed where torch is

        return Ring(rank, ranks, file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch misses NumPy, which nothing here needs
        from .torch_group import TorchGroup  # torch takes seconds, and need not be there

    return TorchGroup(backend, rank, ranks, file)


def _measured(group: Any, backend: str, sizes: SweepSizes) -> int:
    """Measure every size, print what rank 0 prints, and return how many elements were wrong."""
    _each_rank_says(group, backend, sizes)
    busbw, wrong = [], 0
    for size_bytes in sizes.each():
        elements = max(size_bytes // FLOAT_BYTES, 1)
        both = _of_size(group, elements, sizes)
        whole = elements * FLOAT_BYTES
        _print(group, row(whole, elements, group.ranks, both))
        busbw += [busbw_gb_s(whole, group.ranks, timing.time_us) for timing in both]
        wrong += sum(timing.wrong for timing in both)
    _print(group, ending(busbw, wrong))
    return wrong


def _each_rank_says(group: Any, backend: str, sizes: SweepSizes) -> None:
    """Print what stands above the table: rank 0 for all, because what others print may come in any order."""
    _print(group, opening(backend, sizes, group.note))
    host = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    index = int(os.environ.get("SLURM_LOCALID", "0"))
    for line in _of_all(group, device(group.rank, os.getpid(), host, index, group.device)):
        _print(group, line)
    if backend == "nccl":
        from .torch_group import nccl_version  # as above

        _print(group, f"# NCCL version {nccl_version()}")
    _print(group, heading())


def _of_all(group: Any, text: str) -> list[str]:
    """Return the texts of all ranks: each adds its letters, as numbers, where the others have nothing."""
    letters = [0.0] * (group.ranks * _MOST_LETTERS)
    at = group.rank * _MOST_LETTERS
    own = [float(ord(letter)) for letter in text[:_MOST_LETTERS]]
    letters[at : at + len(own)] = own
    buffer = group.buffer(letters, len(letters))
    group.reduce(buffer)
    numbers = [int(number) for number in buffer.tolist()]
    each = (numbers[at : at + _MOST_LETTERS] for at in range(0, len(numbers), _MOST_LETTERS))
    return ["".join(map(chr, filter(None, letters))) for letters in each]


def _of_size(group: Any, elements: int, sizes: SweepSizes) -> tuple[Timing, Timing]:
    source = group.buffer([value + group.rank for value in _PATTERN], elements)
    others = group.ranks * (group.ranks - 1) / 2
    expected = group.buffer([value * group.ranks + others for value in _PATTERN], elements)
    apart, same = group.buffer([0.0], elements), group.buffer([0.0], elements)
    return (
        _timed(
            group, sizes, source=source, expected=expected, act=lambda: group.reduce_to(source, apart), result=apart
        ),
        _timed(group, sizes, source=source, expected=expected, act=lambda: group.reduce(same), result=same),
    )


def _timed(group: Any, sizes: SweepSizes, *, source: Any, expected: Any, act: Any, result: Any) -> Timing:
    """Do it once and look at what came of it; then some times for nothing, and often with the clock."""
    group.copy(source, result)
    act()
    group.finish()
    wrong = round(group.mean(group.wrong(result, expected)) * group.ranks)
    for _ in range(sizes.warmup):
        act()
    group.finish()
    group.mean(0)
    before = time.perf_counter()
    for _ in range(sizes.iterations):
        act()
    group.finish()
    time_us = (time.perf_counter() - before) / sizes.iterations * 1e6
    return Timing(max(group.mean(time_us), 0.01), wrong)


def _print(group: Any, text: str) -> None:
    if group.rank == 0:
        print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
