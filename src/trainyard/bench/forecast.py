"""What larger clusters would show, from the model as the runs at hand and published ones fit it.

It is a forecast and no measurement: a run that the same part of the hardware holds back tells how much of its ceiling
is reached, and the same share is taken of the ceiling of more nodes. Its band widens with the distance.
Runs that are slower than they should be tell nothing of what a sound cluster would show, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

from trainyard.bench.ceiling import Ceiling, ceiling
from trainyard.bench.expectation import Confidence, Model, model_by
from trainyard.bench.machine import MachineType
from trainyard.bench.references import Reference, references
from trainyard.bench.scaling import ScalingSeries

NODES = tuple(2**power for power in range(1, 11))
# Doublings from the nearest run that are still a step, and not a leap.
_NEAR_DOUBLINGS = 2


class Forecast(NamedTuple):
    """The bus bandwidth that is expected of a number of nodes, in GB/s."""

    nodes: int
    busbw_gb_s: float
    least_gb_s: float
    most_gb_s: float
    ceiling: Ceiling
    confidence: Confidence
    basis: str


def forecasts(series: ScalingSeries, node_counts: Sequence[int] = NODES) -> list[Forecast]:
    """Return a forecast for each number of nodes; none where the machine or its network is not known."""
    machine = series.machine
    if machine is None:
        return []
    own = [_own_references(series, machine, nodes) for nodes in series.sound_tables]
    each_forecast = (_forecast(series, machine, own, nodes) for nodes in node_counts)
    return [forecast for forecast in each_forecast if forecast is not None]


def _own_references(series: ScalingSeries, machine: MachineType, nodes: int) -> Reference:
    busbw_gb_s = series.sound_tables[nodes]
    name = f"this run on {nodes} nodes" if nodes > 1 else "this run on one node"
    return Reference(name, machine, nodes, series.gpus_per_node, series.collective, busbw_gb_s, name)


def _forecast(series: ScalingSeries, machine: MachineType, own: Sequence[Reference], nodes: int) -> Forecast | None:
    top = ceiling(machine, nodes, series.gpus_per_node, series.collective)
    if top is None or not top.known:
        return None
    for group in (own, references()):
        usable = [reference for reference in group if _alike(reference, top)]
        model = model_by(usable, machine, nodes, series.gpus_per_node, series.collective)
        if model is not None and model.sources:
            return _at(model, series.size_bytes, nodes, usable)
    model = model_by((), machine, nodes, series.gpus_per_node, series.collective)
    return None if model is None else _at(_without_reference(model), series.size_bytes, nodes, ())


def _without_reference(model: Model) -> Model:
    usual = model.basis.partition("; ")[2]
    return model._replace(basis=f"no run here or published that the same part of the hardware holds back; {usual}")


def _alike(reference: Reference, top: Ceiling) -> bool:
    """Return whether the same part of the hardware holds it back: NVLink's share says nothing of the network."""
    its = ceiling(reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    return reference.nodes > 1 and its is not None and its.known and its.bound == top.bound


def _at(model: Model, size_bytes: int, nodes: int, usable: Iterable[Reference]) -> Forecast:
    steps = min(
        (abs(log2(nodes / reference.nodes)) for reference in usable if reference.source in model.sources), default=99.0
    )
    far = model if steps <= _NEAR_DOUBLINGS else model._replace(confidence="low")
    at = far.at(size_bytes)
    most = min(at.most_gb_s, model.ceiling.busbw_gb_s)
    return Forecast(nodes, at.busbw_gb_s, at.least_gb_s, most, model.ceiling, far.confidence, model.basis)
