"""What dcgm-exporter says on a node with eight H100, as src/trainyard/simulation/ has it, with types and texts."""

from __future__ import annotations

import re
from functools import cache

from tests.monitoring.whole_cluster.nodes import Node
from trainyard.bootstrap.steps import ASSETS
from trainyard.simulation.exporters import exposition
from trainyard.simulation.gpu import gpu_series
from trainyard.simulation.node import SimulatedNode, Spell, Trouble


def dcgm_exporter(node: Node, elapsed_s: float, ill_s: float | None) -> str:
    """Return its text, ``ill_s`` after a GPU of the node fell ill; None while all are well."""
    lines: list[str] = []
    series = list(gpu_series(_simulated(node, None if ill_s is None else elapsed_s - ill_s), node.host_label))
    for name, type_, help_ in counters():
        lines += [f"# HELP {name} {help_}\n", f"# TYPE {name} {type_}\n"]
        lines.append(exposition((one for one in series if one.name == name), elapsed_s))
    return "".join(lines)


@cache
def counters() -> list[tuple[str, str, str]]:
    """Return what the step tells the exporter to export."""
    step = (ASSETS / "steps" / "65-dcgm-exporter.sh").read_text(encoding="utf-8")
    return re.findall(r"(?m)^(DCGM_FI_\w+), (gauge|counter), (.+)$", step)


def _simulated(node: Node, ill_from_s: float | None) -> SimulatedNode:
    ill = [] if node.ill_gpu is None else [Trouble("nvlink-replays", 0.0, gpus=(node.ill_gpu,))]
    if ill and ill_from_s is not None:
        ill.append(Trouble("bad-row", ill_from_s, gpus=ill[0].gpus))
    spells = (Spell(0.0, "busy" if node.busy else "idle"),)
    return SimulatedNode(node.host, "Compute", node.type, node.number, spells, tuple(ill))
