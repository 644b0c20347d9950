"""The UUIDs of this node's GPUs, by which a host is known again when another instance gets it."""

from __future__ import annotations

import re

from trainyard_node.places import Places

# The driver writes question marks until a GPU has been initialized.
# https://download.nvidia.com/XFree86/Linux-x86_64/460.80/README/procinterface.html
_UUID = re.compile(r"^GPU UUID:\s*(GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$", re.MULTILINE)
_MOST_GPUS = 64


def gpu_uuids(places: Places) -> list[str]:
    """Return what the driver has written into files: nothing is started that could hang. None without a driver."""
    files = sorted(places.at("/proc/driver/nvidia/gpus").glob("*/information"))[:_MOST_GPUS]
    try:
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    except OSError:  # a GPU that falls off the bus takes its file along
        return []
    return sorted({uuid for text in texts for uuid in _UUID.findall(text)})
