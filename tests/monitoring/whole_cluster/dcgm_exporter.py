"""What dcgm-exporter says on a node with eight H100, after NVIDIA's documented exposition.

The labels and their order: https://github.com/NVIDIA/dcgm-exporter/blob/main/internal/pkg/rendermetrics/render_metrics.go
The host is `Hostname` in versions up to 4.8.2 and `hostname` later: https://github.com/NVIDIA/dcgm-exporter/pull/655
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.monitoring.whole_cluster.nodes import Node
from trainyard.bootstrap.steps import ASSETS

GPUS = 8
# Of p5.48xlarge: https://github.com/aws/aws-ofi-nccl/blob/master/topology/p5.48xl-topo.xml
_BUSES = ("53", "64", "75", "86", "97", "a8", "b9", "ca")
# https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
_XIDS = {0: "No Error", 64: "ECC page retirement or row remapper recording failure"}


def dcgm_exporter(node: Node, elapsed_s: float, ill_s: float | None) -> str:
    """Return its text, ``ill_s`` after a GPU of the node fell ill; None while all are well."""
    lines: list[str] = []
    for name, type_, help_ in _counters():
        lines += [f"# HELP {name} {help_}", f"# TYPE {name} {type_}"]
        lines += _samples(node, name, elapsed_s, ill_s)
    return "\n".join(lines) + "\n"


@cache
def _counters() -> list[tuple[str, str, str]]:
    """Return what the step tells the exporter to export, and what the values are known of."""
    step = (ASSETS / "steps" / "65-dcgm-exporter.sh").read_text(encoding="utf-8")
    found = re.findall(r"(?m)^(DCGM_FI_\w+), (gauge|counter), (.+)$", step)
    assert {name for name, _, _ in found} == set(_values())
    return found


@cache
def _values() -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("dcgm_values.yaml").read_text())
    return values


def _samples(node: Node, name: str, elapsed_s: float, ill_s: float | None) -> Iterator[str]:
    for gpu in range(GPUS):
        state = "ill" if ill_s is not None and gpu == node.ill_gpu else "busy" if node.busy else "idle"
        once = _values()[name].get("once", 0) if gpu == node.ill_gpu else 0
        value = once + _value(_values()[name], state, gpu, elapsed_s, ill_s or 0.0)
        xid = f',err_code="{value}",err_msg="{_XIDS[int(value)]}"' if name == "DCGM_FI_DEV_XID_ERRORS" else ""
        yield f"{name}{{{_labels(node, gpu)}{xid}}} {value}"


def _labels(node: Node, gpu: int) -> str:
    uuid = f"GPU-{node.number:08x}-0000-4000-8000-{gpu:012x}"
    return (
        f'gpu="{gpu}",UUID="{uuid}",pci_bus_id="00000000:{_BUSES[gpu].upper()}:00.0",device="nvidia{gpu}",'
        f'modelName="NVIDIA H100 80GB HBM3",{node.host_label}="{node.host}"'
    )


def _value(one: dict[str, Any], state: str, gpu: int, elapsed_s: float, ill_s: float) -> float:
    """Return it as DCGM has it, mostly a whole number. What a GPU counted before it fell ill, it has not forgotten."""
    rates = one.get("rate", {})
    grown = rates.get(state, 0) * (ill_s if state == "ill" else elapsed_s)
    before = rates.get("busy", 0) * (elapsed_s - ill_s) if state == "ill" else 0
    wave = one.get("wave", 0) * math.sin(elapsed_s / 20 + gpu) if one[state] else 0
    step = one.get("step", 0) * gpu if one[state] else 0
    value: float = one[state] + step + wave + grown + before
    return round(value, one.get("digits"))
