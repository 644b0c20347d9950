"""Machines as a bandwidth test sees them: AWS's from the catalog, those of others from expectations/machines.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find

FOLDER = Path(__file__).with_name("expectations")


class MachineType(NamedTuple):
    """A node of a cluster."""

    name: str
    accelerator: str
    gpus: int
    network_gb_s: float | None
    """What its network cards that carry GPU traffic move each way; None where that is not known."""
    nics: int | None
    """How many of them the plugin finds."""
    node_busbw_gb_s: Mapping[str, float]
    """The most that its GPUs have shown among themselves, by collective."""
    nvlink_nodes: int = 1
    """How many of them are one NVLink domain."""
    links: str = ""
    """The accelerator whose links among each other its own have, if another one."""
    is_only_gpus: bool = False
    """Whether no more is known than its GPUs."""


def machine(name: str) -> MachineType | None:
    """Return the machine of that name, or None where nothing is known of it. Words after the name are left aside."""
    name = name.split(maxsplit=1)[0] if name.strip() else ""
    instance_type = find(name)
    if instance_type is not None and instance_type.accelerators is not None:
        return _of_catalog(name, instance_type)
    other = _machines()["machines"].get(name)
    return None if other is None else _machine_of_entry(name, other)


def accelerator_in(device: str) -> str | None:
    """Return the name of the accelerator in what a driver calls a device, such as H100 in NVIDIA H100 80GB HBM3."""
    words = device.upper().replace("-", " ").split()
    return next((name for name in _machines()["accelerators"] if name.upper() in words), None)


def by_accelerator(words: str) -> MachineType | None:
    """Return the machine that words such as 8xA100 describe, of which only the GPUs are known, or None."""
    match = re.match(r"(?:(\d+)\s*x\s*)?([A-Za-z]+\d+)", words)
    name = match[2].upper() if match is not None else ""
    accelerators = _machines()["accelerators"].get(name)
    return None if match is None or accelerators is None else alone(name, int(match[1] or accelerators["gpus"]))


def alone(accelerator: str, gpus: int) -> MachineType:
    """Return a machine of which no more is known than its GPUs."""
    busbw_gb_s, nodes = _node_busbw(accelerator, gpus), _nvlink_nodes(accelerator)
    links = _links(accelerator)
    return MachineType(f"{gpus} × {accelerator}", accelerator, gpus, None, None, busbw_gb_s, nodes, links, True)  # noqa: FBT003


def _of_catalog(name: str, instance_type: InstanceType) -> MachineType:
    accelerators = instance_type.accelerators
    assert accelerators is not None  # noqa: S101  asked by the only caller
    gbit_s = instance_type.efa_gbit_s
    return MachineType(
        name, accelerators.model, accelerators.count,
        None if gbit_s is None else gbit_s / 8, instance_type.efa_interfaces,
        _node_busbw(accelerators.model, accelerators.count), _nvlink_nodes(accelerators.model),
        _links(accelerators.model),
    )  # fmt: skip


def _machine_of_entry(name: str, entry: dict[str, Any]) -> MachineType:
    own = entry.get("node_busbw_gb_s")
    return MachineType(
        name, entry["accelerator"], entry["gpus"], entry.get("network_gb_s"), entry.get("nics"),
        own if own is not None else _node_busbw(entry["accelerator"], entry["gpus"]),
        _nvlink_nodes(entry["accelerator"]), _links(entry["accelerator"]),
    )  # fmt: skip


def _node_busbw(accelerator: str, gpus: int) -> dict[str, float]:
    """Return what so many of the accelerators reach together; nothing where they were never seen so."""
    accelerators = _machines()["accelerators"].get(accelerator, {})
    busbw_by_collective: dict[str, float] = (
        accelerators.get("node_busbw_gb_s", {}) if accelerators.get("gpus") == gpus else {}
    )
    return busbw_by_collective


def _nvlink_nodes(accelerator: str) -> int:
    nodes: int = _machines()["accelerators"].get(accelerator, {}).get("nvlink_nodes", 1)
    return nodes


def _links(accelerator: str) -> str:
    links: str = _machines()["accelerators"].get(accelerator, {}).get("links", accelerator)
    return links


def gpus_of_node(accelerator: str) -> int:
    """Return how many of these accelerators a node usually has."""
    gpus: int = _machines()["accelerators"][accelerator]["gpus"]
    return gpus


@cache
def _machines() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load((FOLDER / "machines.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return content
