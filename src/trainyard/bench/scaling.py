"""How bandwidth holds as nodes are added.

Bus bandwidth is normalised by the number of ranks: on a network that scales, it stays as it is, and does not add up.
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
So the efficiency of N nodes is their bus bandwidth by that of the fewest nodes that use the network, at the same size,
which are two and not one: inside one node only its own links count. Beside it stands the share of what N nodes can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from math import isfinite
from statistics import median
from typing import NamedTuple

from trainyard.bench.case import Case
from trainyard.bench.ceiling import Ceiling, busbw_factor, ceiling
from trainyard.bench.machine import MachineType
from trainyard.bench.result import busbw


class Point(NamedTuple):
    """What a number of nodes has reached at the size that all of the series have."""

    nodes: int
    busbw_gb_s: float
    of_base: float | None
    """Its share of the base's bus bandwidth: the scaling efficiency. None for a single node."""
    possible_of_base: float | None
    """The most that this share can be: the ceilings of two numbers of nodes may differ."""
    ceiling: Ceiling | None
    of_ceiling: float | None
    """Its share of what so many nodes can; None where that is not known."""


class ScalingSeries(NamedTuple):
    """Runs of one collective on one kind of machine, by the number of nodes."""

    collective: str
    machine: MachineType | None
    """None where nothing is known of it: then there are no ceilings."""
    gpus_per_node: int
    size_bytes: int
    base_nodes: int | None
    """The fewest nodes that use the network; None where no run has."""
    points: tuple[Point, ...]
    why_not_one: str | None
    """Why a single node is no base, where one was measured."""
    tables: Mapping[int, Mapping[int, float]]
    """The bus bandwidth by number of nodes and size, the median of its runs."""
    sound_tables: Mapping[int, Mapping[int, float]]
    """The same of healthy runs alone, from which the forecast for more nodes is made."""


def all_series(cases: Sequence[Case], faulty: Sequence[Case] = ()) -> list[ScalingSeries]:
    """Return a series for each collective, machine and number of GPUs of a node that was measured.

    ``faulty`` are those of the cases that are slower than they should be, or wrong.
    """
    groups: dict[tuple[str, str, int], list[Case]] = {}
    for case in cases:
        measured = any(value and isfinite(value) for value in map(busbw, case.run.rows))
        if case.nodes and measured and busbw_factor(case.run.collective or "", 2) is not None:
            machine = case.machine.name if case.machine is not None else ""
            groups.setdefault((case.run.collective or "", machine, case.gpus_per_node or 0), []).append(case)
    ids = {id(case) for case in faulty}
    return [_series(group, ids) for group in groups.values()]


def _series(cases: Sequence[Case], faulty_ids: Container[int]) -> ScalingSeries:
    first = cases[0]
    machine, gpus, collective = first.machine, first.gpus_per_node or 0, first.run.collective or ""
    tables = _tables(cases)
    across = [nodes for nodes in tables if nodes > (1 if machine is None else machine.nvlink_nodes)]
    size_bytes = _common_size([tables[nodes] for nodes in across or tables])
    base = min((nodes for nodes in across if size_bytes in tables[nodes]), default=None)
    tops = {nodes: None if machine is None else ceiling(machine, nodes, gpus, collective) for nodes in tables}
    reached = None if base is None else (tables[base][size_bytes], tops[base])
    points = [
        _point(nodes, table[size_bytes], tops[nodes], reached, is_within=nodes not in across)
        for nodes, table in tables.items()
        if size_bytes in table
    ]
    why = _why_not_one(tops.get(1), None if base is None else tops[base], base)
    sound = _tables([case for case in cases if id(case) not in faulty_ids])
    return ScalingSeries(collective, machine, gpus, size_bytes, base, tuple(points), why, tables, sound)


def _tables(cases: Sequence[Case]) -> dict[int, dict[int, float]]:
    """Return the median bus bandwidth by number of nodes, ascending, and by size."""
    values: dict[int, dict[int, list[float]]] = {}
    for case in sorted(cases, key=lambda case: case.nodes or 0):
        of_nodes = values.setdefault(case.nodes or 0, {})
        for row in case.run.usual_rows:
            # A time of 0 µs makes any bandwidth infinite.
            if (value := busbw(row)) and isfinite(value):
                of_nodes.setdefault(row.size_bytes, []).append(value)
    return {nodes: {size: median(each) for size, each in sorted(of.items())} for nodes, of in values.items()}


def _common_size(tables: Sequence[Mapping[int, float]]) -> int:
    """Return the largest size that all have, or else that most have."""
    counts = Counter(size for table in tables for size in table)
    return max(counts, key=lambda size: (counts[size], size))


def _point(
    nodes: int, value: float, top: Ceiling | None, base: tuple[float, Ceiling | None] | None, *, is_within: bool
) -> Point:
    of_base = possible = None
    if base is not None and not is_within:
        of_base = value / base[0]
        both = top is not None and base[1] is not None and top.known and base[1].known
        possible = top.busbw_gb_s / base[1].busbw_gb_s if both and top is not None and base[1] is not None else None
    share = value / top.busbw_gb_s if top is not None and top.known else None
    return Point(nodes, value, of_base, possible, top, share)


def _why_not_one(own: Ceiling | None, base: Ceiling | None, base_nodes: int | None) -> str | None:
    if own is None or base is None:
        return None
    return (
        f"one node is no base for several: {own.why}, and nothing of it crosses the network; "
        f"on {base_nodes} nodes, {base.why}"
    )
