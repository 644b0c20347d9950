"""Accelerators and EFA interfaces: nodes have them for pods only where a device plugin runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.catalog.instances import find


def with_devices(node: Mapping[str, Any], pods: Iterable[Mapping[str, Any]], efa: int) -> dict[str, Any]:
    """Return a node with what the device plugins add that run on it, among these pods."""
    images = [container["image"] for pod in pods for container in pod["spec"]["containers"]]
    added = {
        one["resource"]: str(_count(node, one["of"], efa))
        for one in _plugins()
        if any(_is(one, image) for image in images)
    }
    status = node["status"]
    resources = {key: {**status[key], **added} for key in ("capacity", "allocatable")}
    return {**node, "status": {**status, **resources}}


def _is(plugin: Mapping[str, str], image: str) -> bool:
    return plugin["image"] in image and plugin.get("without", " ") not in image


def _count(node: Mapping[str, Any], what: str, efa: int) -> int:
    if what == "efa_interfaces":
        return efa
    facts = find(node["metadata"]["labels"]["node.kubernetes.io/instance-type"])
    chips = facts.accelerators if facts is not None else None
    wanted = {"gpus": "nvidia", "neuron_chips": "aws"}[what]
    return chips.count if chips is not None and chips.vendor == wanted else 0


@cache
def _plugins() -> tuple[Mapping[str, str], ...]:
    file = Path(__file__).with_name("devices.yaml")
    return tuple(yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader))
