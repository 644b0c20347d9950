"""An all-reduce by torch.distributed: gloo on CPUs, NCCL on GPUs of NVIDIA."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed

from .rendezvous import WITHIN_S, announce, find, own_address

_WITHIN = timedelta(seconds=WITHIN_S)


class TorchGroup:
    """The ranks as torch.distributed has them."""

    note = "torch.distributed reduces in place only: both halves of the table are in place"

    def __init__(self, backend: str, rank: int, ranks: int, file: Path) -> None:
        """Meet the others. Raises what torch raises where they do not come."""
        self.rank, self.ranks = rank, ranks
        self._where = torch.device("cpu")
        self.device = f"CPU, gloo of torch {torch.__version__}"
        if backend == "nccl":
            self._where = _gpu()
            torch.cuda.set_device(self._where)
            self.device = torch.cuda.get_device_name(self._where)
        store = _store(rank, ranks, file)
        # By default a rank waits half an hour for one that has died.
        torch.distributed.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=_WITHIN)
        self.mean(0)
        if rank == 0:
            file.unlink(missing_ok=True)

    def buffer(self, pattern: list[float], elements: int) -> Any:
        """Return a buffer with a pattern, again and again."""
        times = elements // len(pattern) + 1
        return torch.tensor(pattern, dtype=torch.float32, device=self._where).repeat(times)[:elements].clone()

    def copy(self, source: Any, target: Any) -> None:
        """Make the target what the source is."""
        target.copy_(source)

    def reduce_to(self, _source: Any, target: Any) -> None:
        """Leave in the target the sum of what all ranks have in it."""
        self.reduce(target)

    def reduce(self, buffer: Any) -> None:
        """Leave in the buffer the sum of what all ranks have in it."""
        torch.distributed.all_reduce(buffer)

    def wrong(self, buffer: Any, expected: Any) -> int:
        """Return how many elements are not as they should be."""
        return int((buffer != expected).sum())

    def finish(self) -> None:
        """Wait until everything has been done that was asked for."""
        if self._where.type == "cuda":
            torch.cuda.synchronize(self._where)

    def mean(self, value: float) -> float:
        """Return the mean over the ranks. All have to ask at the same time, and wait for each other."""
        tensor = torch.tensor([value], dtype=torch.float64, device=self._where)
        torch.distributed.all_reduce(tensor)
        return float(tensor) / self.ranks

    def close(self) -> None:
        """Leave the others."""
        torch.distributed.destroy_process_group()


def nccl_version() -> str:
    """Return the version of the NCCL that torch holds, such as 2.27.3."""
    return ".".join(map(str, torch.cuda.nccl.version()))


def _gpu() -> Any:
    """Return the GPU of this rank: its own, whether Slurm lets it see that one alone or all of the node.

    Raises RuntimeError where torch finds none.
    """
    count = torch.cuda.device_count()
    if not count:
        raise RuntimeError(f"torch {torch.__version__} finds no GPU on this node")
    return torch.device("cuda", int(os.environ.get("SLURM_LOCALID", "0")) % count)


def _store(rank: int, ranks: int, file: Path) -> Any:
    """Return the store that ranks meet in: rank 0 has it, and writes down where."""
    if rank == 0:
        store = torch.distributed.TCPStore(
            own_address(), 0, ranks, is_master=True, wait_for_workers=False, timeout=_WITHIN
        )
        announce(file, own_address(), store.port)
        return store
    place = find(file)
    return torch.distributed.TCPStore(place.address, place.port, ranks, is_master=False, timeout=_WITHIN)
