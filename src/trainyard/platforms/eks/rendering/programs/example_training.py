"""An example of a job that torchrun starts on all nodes: it reduces tensors over all processes and checks the sums.

With a folder as its argument, each process also writes and reads a file there, as training does with checkpoints.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path
from typing import Any

# Large enough that the network bounds it, small enough for any accelerator.
_NUMBERS = 2**28
_ROUNDS = 10


def main(folder: str = "") -> int:
    """Run one of the processes, and return its exit status."""
    torch = importlib.import_module("torch")
    device = begun(torch)
    ranks, rank = torch.distributed.get_world_size(), torch.distributed.get_rank()
    seconds = reduced(torch, device, ranks)
    if folder:
        written(Path(folder), rank)
    if rank == 0:
        # https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md#allreduce
        bus_gb_s = 4 * _NUMBERS / seconds * 2 * (ranks - 1) / ranks / 1e9
        sys.stdout.write(f"{ranks} processes agree; 1 GiB took {seconds:.4f} s, busbw {bus_gb_s:.1f} GB/s\n")
    torch.distributed.destroy_process_group()
    return 0


def begun(torch: Any) -> Any:
    """Join the other processes, and return the device that is this one's."""
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        torch.distributed.init_process_group("nccl", device_id=device)
        return device
    try:
        # Neuron registers its backend by being imported.
        importlib.import_module("torch_xla.distributed.xla_backend")
        device = importlib.import_module("torch_xla.core.xla_model").xla_device()
    except ImportError:
        torch.distributed.init_process_group("gloo")
        return torch.device("cpu")
    torch.distributed.init_process_group("xla")
    return device


def reduced(torch: Any, device: Any, ranks: int) -> float:
    """Return how many seconds a reduction takes. Ends the program where a sum is wrong."""
    numbers = torch.ones(_NUMBERS, device=device)
    torch.distributed.all_reduce(numbers)
    if float(numbers[-1].item()) != ranks:
        sys.exit(f"the sum of ones over {ranks} processes is {float(numbers[-1].item())}")
    numbers.fill_(0)
    started = time.monotonic()
    for _ in range(_ROUNDS):
        torch.distributed.all_reduce(numbers)
    numbers[-1].item()  # which waits for the accelerator
    return (time.monotonic() - started) / _ROUNDS


def written(folder: Path, rank: int) -> None:
    """Write a file and read it back. Ends the program where it reads something else."""
    folder.mkdir(parents=True, exist_ok=True)
    file, text = folder / f"rank-{rank}.txt", f"{time.time()}\n"
    file.write_text(text, encoding="utf-8")
    if file.read_text(encoding="utf-8") != text:
        sys.exit(f"{file} does not hold what was written to it")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
