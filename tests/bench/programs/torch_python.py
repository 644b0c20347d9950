"""A Python with torch, as nodes have it: TORCH_PYTHON names one, and tools/torch.sh installs Debian's."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

DEBIAN = "/usr/bin/python3"


@cache
def torch_python() -> str:
    """Return its path."""
    program = os.environ.get("TORCH_PYTHON", DEBIAN)
    found = subprocess.run([program, "-c", "import torch.distributed"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{program} has no torch: run tools/torch.sh, or name one with TORCH_PYTHON"
    return program


@cache
def fsdp2_python() -> str:
    """Return the path of one with FSDP2, which Debian 12 does not have."""
    made = Path(__file__).parents[3] / ".make/torch/bin/python"
    program = os.environ.get("TORCH_PYTHON", str(made))
    code = "from torch.distributed.fsdp import fully_shard"
    found = subprocess.run([program, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{program} has no torch with FSDP2: run tools/torch.sh, or set TORCH_PYTHON"
    return program
