"""What is plotted over the size: the runs of one kind, what was expected of them, the ceiling, and published runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from trainyard.bench.case import Case
from trainyard.bench.expectation import Model, alike
from trainyard.bench.judge import Judgement
from trainyard.bench.references import Reference, references


def charts(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return a chart for each collective, machine, number of nodes and of ranks that was measured."""
    groups: dict[tuple[object, ...], list[tuple[int, Case]]] = {}
    for number, judgement in enumerate(judgements, 1):
        case = judgement.case
        if _points(case):
            machine = case.machine.name if case.machine is not None else None
            key = (case.run.collective, machine, case.nodes, case.run.ranks, case.run.bandwidth_unit)
            groups.setdefault(key, []).append((number, case))
    ordered = sorted(groups.values(), key=lambda group: (group[0][1].run.collective or "", group[0][1].nodes or 0))
    return [_chart(group) for group in ordered]


def _chart(group: Sequence[tuple[int, Case]]) -> dict[str, Any]:
    case = group[0][1]
    model, expectation = case.model, case.expectation
    sizes = sorted({row.size_bytes for _, case in group for row in case.run.rows if row.size_bytes > 0})
    return {
        "title": title(case),
        "bandwidth_unit": case.run.bandwidth_unit,
        "runs": [{"number": number, "points": _points(case)} for number, case in group],
        "expected": [] if expectation is None else [_expected(expectation, size) for size in sizes],
        "ceiling_gb_s": None if model is None else model.ceiling.busbw_gb_s,
        "ceiling": None if model is None else model.ceiling.why,
        "confidence": None if expectation is None else expectation.confidence,
        "basis": None if expectation is None else expectation.basis,
        "sources": [] if expectation is None else list(expectation.sources),
        "references": [_reference(reference) for reference in references() if _of_kind(reference, case)],
    }


def title(case: Case) -> str:
    """Return what was measured where."""
    machine = case.machine.name if case.machine is not None else "an unknown machine"
    ranks = f", {case.run.ranks} ranks" if case.run.ranks else ""
    return f"{case.run.collective or 'unknown collective'} on {case.nodes or '?'} × {machine}{ranks}"


def _points(case: Case) -> list[dict[str, float]]:
    both = ((row.size_bytes, row.out_of_place or row.in_place) for row in case.run.rows if row.size_bytes > 0)
    return sorted(
        (
            {"size_bytes": size, "busbw_gb_s": measurement.busbw_gb_s, "time_us": measurement.time_us}
            for size, measurement in both
            if measurement and isfinite(measurement.busbw_gb_s) and isfinite(measurement.time_us)
        ),
        key=lambda point: point["size_bytes"],
    )


def _expected(model: Model, size_bytes: int) -> dict[str, float]:
    at = model.at(size_bytes)
    time_us = size_bytes * model.factor / at.busbw_gb_s / 1e3
    return {
        "size_bytes": size_bytes,
        "busbw_gb_s": at.busbw_gb_s,
        "least_gb_s": at.least_gb_s,
        "most_gb_s": at.most_gb_s,
        "time_us": time_us,
    }


def _of_kind(reference: Reference, case: Case) -> bool:
    same = (reference.collective, reference.nodes, reference.gpus_per_node) == (
        case.run.collective,
        case.nodes,
        case.gpus_per_node,
    )
    return same and case.machine is not None and alike(reference.machine, case.machine)


def _reference(reference: Reference) -> dict[str, Any]:
    points = [
        {"size_bytes": size, "busbw_gb_s": value, "time_us": size * reference.factor / value / 1e3}
        for size, value in sorted(reference.busbw_gb_s.items())
        if value > 0
    ]
    return {
        "name": f"published, {reference.machine.name} × {reference.nodes}",
        "source": reference.source,
        "points": points,
    }
