"""The exporters of a node, each with the series that it would give, and those as the text that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from trainyard.simulation.checks import check_series
from trainyard.simulation.curve import Curve, Piece
from trainyard.simulation.efa import efa_series
from trainyard.simulation.gpu import gpu_series
from trainyard.simulation.host import cpu_series, host_series
from trainyard.simulation.jobs import job_series
from trainyard.simulation.node import SimulatedNode, SimulatedSeries


def exporters_of(node: SimulatedNode) -> tuple[str, ...]:
    """Return what is scraped of a node, by the names of Prometheus's jobs. What is said of Slurm is not simulated."""
    if node.kind != "Compute":
        return ("node-exporter",)
    return ("node-exporter", *(["dcgm-exporter"] if node.gpus else []), "trainyard-node")


def series_of(node: SimulatedNode, exporter: str) -> Iterator[SimulatedSeries]:
    """Yield what an exporter of a node says. What it would say while it does not answer is left out by `answering`."""
    if exporter == "node-exporter":
        return host_series(node)
    if exporter == "dcgm-exporter":
        return gpu_series(node)
    return chain(cpu_series(node), efa_series(node), check_series(node), job_series(node))


def answering(node: SimulatedNode, exporter: str) -> Curve:
    """Return when an exporter answers: 1, and 0 while it does not, as Prometheus has it in `up`."""
    silent = [
        any(exporter in trouble.effects.get("silent", ()) for trouble in stretch.troubles) for stretch in node.stretches
    ]
    moments = zip(node.stretches, silent, strict=True)
    return Curve(tuple(Piece(stretch.from_s, float(not is_silent)) for stretch, is_silent in moments))


def exposition(series: Iterable[SimulatedSeries], at_s: float) -> str:
    """Return series as they are at a moment, as Prometheus reads them: without types, which it does not need."""
    lines = []
    for name, labels, curve in series:
        (value,) = curve.at([at_s])
        if value is not None:
            lines.append(f"{name}{{{labels}}} {value:.17g}\n" if labels else f"{name} {value:.17g}\n")
    return "".join(lines)
