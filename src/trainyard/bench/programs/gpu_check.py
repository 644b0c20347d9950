"""What each GPU of a node computes and moves by itself: one line of JSON for each.

Runs on nodes as ``python3 gpu_check.py`` with torch, in some seconds a GPU.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import warnings
from typing import Any

# As large as keeps every multiprocessor busy, and small beside the memory of any of these GPUs.
_MATRIX = 8192
_COPY_BYTES = 2 << 30
_REPEATS = 30
_ROUNDS = 5


def main() -> int:
    """Measure every GPU of this node, print what came of it, and return the exit status."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch misses NumPy, which nothing here needs
            import torch  # takes seconds, and may not be there
    except ImportError as error:
        print(f"gpu_check: error: {error}: name an interpreter with torch with --python", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("gpu_check: error: torch finds no GPU on this node", file=sys.stderr)
        return 3
    host = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    failed = sum(not _shown(torch, host, device) for device in range(torch.cuda.device_count()))
    return 1 if failed else 0


def _shown(torch: Any, host: str, device: int) -> bool:
    """Print what a GPU reaches. One that fails, or that somebody else has filled, does not keep the others from it."""
    try:
        print(json.dumps(measured(torch, host, device)), flush=True)
    except RuntimeError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(f"gpu_check: error: GPU {device} of {host}: {lines[0]}", file=sys.stderr, flush=True)
        return False
    return True


def measured(torch: Any, host: str, device: int) -> dict[str, Any]:
    """Return what a GPU reaches, in the best of some rounds: others may have been busy in one of them."""
    torch.cuda.set_device(device)
    return {
        "gpu_check": 1,
        "host": host,
        "device": device,
        "name": torch.cuda.get_device_name(device),
        "bf16_tflop_s": round(max(_matrix_tflop_s(torch) for _ in range(_ROUNDS)), 1),
        "memory_gb_s": round(max(_memory_gb_s(torch) for _ in range(_ROUNDS)), 1),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
    }


def _matrix_tflop_s(torch: Any) -> float:
    """Return the speed of a product of two matrices: 2n³ operations."""
    factor, other = (torch.randn(_MATRIX, _MATRIX, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    into = torch.empty_like(factor)
    seconds = _timed(torch, lambda: torch.mm(factor, other, out=into))
    return 2 * _MATRIX**3 / seconds / 1e12


def _memory_gb_s(torch: Any) -> float:
    """Return the speed of a copy within the memory: each byte is read and written."""
    source = torch.empty(_COPY_BYTES, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    seconds = _timed(torch, lambda: target.copy_(source))
    return 2 * _COPY_BYTES / seconds / 1e9


def _timed(torch: Any, act: Any) -> float:
    """Return the seconds that one takes."""
    for _ in range(3):
        act()
    torch.cuda.synchronize()
    before = time.perf_counter()
    for _ in range(_REPEATS):
        act()
    torch.cuda.synchronize()
    return (time.perf_counter() - before) / _REPEATS


if __name__ == "__main__":
    sys.exit(main())
