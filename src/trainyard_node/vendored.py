"""The libraries that come along, so that nodes install nothing: nvidia-ml-py, which is called pynvml."""

from __future__ import annotations

import os
import sys

FOLDER = os.path.join(os.path.dirname(__file__), "_vendor")  # noqa: PTH118, PTH120 - it may lie inside an archive


def make_importable() -> None:
    """Let imports find them, after everything that the node has itself but these."""
    if FOLDER not in sys.path:
        sys.path.insert(0, FOLDER)
