"""What a healthy cluster shows, with the band in which that is known.

The nearest published run decides: the same kind of node, and as many of them. Where there is none, one with other
numbers of nodes is carried over by what the hardware allows; where there is none of the kind, only the hardware is
left. The band says how much each of these can be wrong, and widens where latency decides and not bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log2
from typing import Literal, NamedTuple

from trainyard.bench.ceiling import Bound, Ceiling, busbw_factor, ceiling
from trainyard.bench.curve import Curve
from trainyard.bench.machine import MachineType
from trainyard.bench.references import Reference, references

Confidence = Literal["high", "medium", "low"]
# Shares of the expected bandwidth that a healthy run may have, where bandwidth decides. A published run is one of many:
# two of the same kind, 466 and 438 GB/s at 2 GiB on two p5, differ by this much.
_BANDS: dict[Confidence, tuple[float, float]] = {"high": (0.85, 1.15), "medium": (0.75, 1.25), "low": (0.55, 1.6)}
# Where latency decides, times differ by twice and more between versions of NCCL and of the plugin.
_LATENCY_FACTOR = 1.8
# Share of the ceiling where nothing of the kind is published: p4de reaches 0.84 of it, p5en and p6-b200 0.92 to 0.94.
_USUAL_SHARE = 0.88
# Latencies of the published runs: 13 µs in a node of H100, 65 to 161 µs between two nodes.
_USUAL = Curve(latency_us=70, slow_us=1.0, exponent=0.3, us_a_byte=0.0, spread=0.3)
_USUAL_NODES = 2
_USUAL_IN_NODE = Curve(latency_us=15, slow_us=0.3, exponent=0.3, us_a_byte=0.0, spread=0.3)


# Their collectives go other ways than those of GPUs: https://awsdocs-neuron.readthedocs-hosted.com/
_OF_NEURON = ("Trainium", "Inferentia", "trainium", "inferentia")


class Expectation(NamedTuple):
    """The bus bandwidth of a size, in GB/s."""

    busbw_gb_s: float
    least_gb_s: float
    """Below this a run is not healthy."""
    most_gb_s: float
    """Above this the figure, or what is known of the machine, is wrong."""


class Model(NamedTuple):
    """Expectations of one collective on one cluster."""

    ceiling: Ceiling
    curve: Curve
    factor: float
    confidence: Confidence
    basis: str
    """What it rests on, in words."""
    sources: tuple[str, ...]

    def at(self, size_bytes: int) -> Expectation:
        """Return what is expected of a size, at least 1 byte."""
        expected = min(size_bytes * self.factor / self.curve.time_us(size_bytes) / 1e3, self.ceiling.busbw_gb_s)
        low, high = _BANDS[self.confidence]
        share = self.curve.us_a_byte * size_bytes / self.curve.time_us(size_bytes)  # of the time that is bandwidth
        widen = _LATENCY_FACTOR ** (1 - share)
        most = min(expected * high * widen, self.ceiling.busbw_gb_s * 1.02)
        return Expectation(expected, expected * low / widen, max(most, expected))


def model(machine: MachineType, nodes: int, gpus_per_node: int, collective: str) -> Model | None:
    """Return what can be expected, or None where not even the hardware is known."""
    return model_by(references(), machine, nodes, gpus_per_node, collective)


def model_by(
    published: Iterable[Reference], machine: MachineType, nodes: int, gpus_per_node: int, collective: str
) -> Model | None:
    """Return what can be expected by these published runs, or None where not even the hardware is known."""
    if machine.accelerator.startswith(_OF_NEURON):
        return None
    top, factor = ceiling(machine, nodes, gpus_per_node, collective), busbw_factor(collective, nodes * gpus_per_node)
    if top is None or factor is None or factor == 0:
        return None
    comparable = _comparable(published, nodes, gpus_per_node, collective, top.bound)
    reference = _nearest(comparable, machine, nodes, top.bound)
    if reference is None:
        return _by_hardware(machine, nodes, top, factor)
    return _by_reference(reference, machine, nodes, top, factor)


def alike(first: MachineType, other: MachineType, nodes: int = 2) -> bool:
    """Return whether two machines have the same links and, where so many of them need one, the same network."""
    within = nodes <= min(first.nvlink_nodes, other.nvlink_nodes)
    same_links = (first.links or first.accelerator, first.gpus) == (other.links or other.accelerator, other.gpus)
    return same_links and (within or (first.network_gb_s is not None and first.network_gb_s == other.network_gb_s))


def _nearest(comparable: list[Reference], machine: MachineType, nodes: int, bound: Bound) -> Reference | None:
    """Return the published run to go by: of the same machines, or for a network of others with the same one."""
    needs_network = nodes > machine.nvlink_nodes
    comparable = [
        reference for reference in comparable
        if (reference.nodes > reference.machine.nvlink_nodes) == needs_network
    ]  # fmt: skip
    of_kind = [reference for reference in comparable if alike(reference.machine, machine, nodes)]
    same_network = [reference for reference in comparable if reference.machine.network_gb_s == machine.network_gb_s]
    near = of_kind or (same_network if bound == "network" else [])
    return min(
        near, key=lambda reference: (abs(log2(reference.nodes / nodes)), -len(reference.busbw_gb_s)), default=None
    )


def _comparable(
    published: Iterable[Reference], nodes: int, gpus: int, collective: str, bound: Bound
) -> list[Reference]:
    """Return those that the same part of the hardware holds back: NVLink says nothing of the network."""
    return [
        reference for reference in published
        if (reference.collective, reference.gpus_per_node) == (collective, gpus)
        and (reference.nodes == 1) == (nodes == 1)
        and _bound(reference) == bound
    ]  # fmt: skip


def _bound(reference: Reference) -> Bound | None:
    top = ceiling(reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    return None if top is None else top.bound


def _by_reference(reference: Reference, machine: MachineType, nodes: int, top: Ceiling, factor: float) -> Model:
    """Carry a published run over: its share of what its hardware allows, and its latency by the depth of a tree."""
    own = ceiling(reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    share = reference.plateau_gb_s / own.busbw_gb_s if own is not None else _USUAL_SHARE
    own_curve = reference.curve()
    curve = own_curve or (_USUAL if nodes > 1 else _USUAL_IN_NODE)
    deeper = log2(2 * nodes) / log2(2 * (reference.nodes if own_curve else min(nodes, _USUAL_NODES)))
    same = nodes == reference.nodes and alike(reference.machine, machine, nodes)
    own_kind = same and reference.machine.accelerator == machine.accelerator
    plateau = reference.plateau_gb_s if same else min(share, 1.0) * top.busbw_gb_s
    scaled = curve._replace(
        latency_us=curve.latency_us * deeper,
        slow_us=curve.slow_us * deeper,
        us_a_byte=factor / (plateau * 1e3) if not same or not curve.us_a_byte else curve.us_a_byte,
    )
    basis = f"{reference.machine.name} × {reference.nodes} showed {reference.plateau_gb_s:,.0f} GB/s"
    if not same:
        basis += f", {share:.0%} of what its hardware allows; the same share for {nodes} nodes"
    elif not own_kind:
        basis += f", and the links and the network of {machine.name} are the same"
    return Model(top, scaled, factor, "high" if own_kind else "medium", basis, (reference.source,))


def _by_hardware(machine: MachineType, nodes: int, top: Ceiling, factor: float) -> Model:
    plateau = top.busbw_gb_s * _USUAL_SHARE
    usual = _USUAL if nodes > 1 else _USUAL_IN_NODE
    deeper = log2(2 * nodes) / 2 if nodes > 1 else 1
    curve = usual._replace(latency_us=usual.latency_us * deeper, us_a_byte=factor / (plateau * 1e3))
    basis = (
        f"no run of {machine.name} is published; clusters of other kinds reach {_USUAL_SHARE:.0%} of what is allowed"
    )
    return Model(top, curve, factor, "low", basis, ())
