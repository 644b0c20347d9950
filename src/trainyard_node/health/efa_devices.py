"""The EFA devices of the node, as its kernel knows them."""

from __future__ import annotations

import os
from pathlib import Path

from trainyard_node.collectors.efa_device import DRIVER
from trainyard_node.places import Places

# efa_pci_tbl of https://github.com/torvalds/linux/blob/master/drivers/infiniband/hw/efa/efa_main.c
_VENDOR, _DEVICE = "0x1d0f", "0xefa"


def efa_devices(places: Places) -> list[str]:
    """Return the names of the devices that EFA's driver runs, such as rdmap0s6."""
    folders = places.at("/sys/class/infiniband").glob("*")
    return sorted(device.name for device in folders if _target(device / "device" / "driver") == DRIVER)


def efa_without_driver(places: Places) -> list[str]:
    """Return the PCI addresses of devices that are there, but that no driver runs."""
    folders = places.at("/sys/bus/pci/devices").glob("*")
    return sorted(device.name for device in folders if _is_efa(device) and not _target(device / "driver"))


def _is_efa(device: Path) -> bool:
    return _text(device / "vendor") == _VENDOR and _text(device / "device").startswith(_DEVICE)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")[:20].strip().lower()
    except OSError:
        return ""


def _target(link: Path) -> str:
    try:
        return os.path.basename(os.readlink(link))  # noqa: PTH115, PTH119 - as a text: the target need not be there
    except OSError:
        return ""
