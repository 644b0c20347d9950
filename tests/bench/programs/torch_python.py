"""A Python with torch, as nodes have it: TORCH_PYTHON names one, and tools/torch.sh installs Debian's."""

from __future__ import annotations

import os
import subprocess
from functools import cache

DEBIAN = "/usr/bin/python3"


@cache
def torch_python() -> str:
    """Return its path."""
    program = os.environ.get("TORCH_PYTHON", DEBIAN)
    found = subprocess.run([program, "-c", "import torch.distributed"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{program} has no torch: run tools/torch.sh, or name one with TORCH_PYTHON"
    return program
