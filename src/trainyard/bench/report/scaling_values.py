"""Scaling and forecast as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.bench.forecast import Forecast, forecasts
from trainyard.bench.judge import Judgement
from trainyard.bench.scaling import Point, Series, all_series

DEFINITION = (
    "Bus bandwidth is normalised by the number of ranks, so it stays the same where a cluster scales, and does not add "
    "up. Efficiency is the bus bandwidth of N nodes by that of the fewest that use the network, at the same size."
)

_FAULTY = ("degraded", "broken")


def scaling(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return the series that say something about more than one node."""
    faulty = [one.case for one in judgements if one.verdict in _FAULTY]
    series = [one for one in all_series([one.case for one in judgements], faulty) if one.base_nodes is not None]
    return [_values(one) for one in series]


def _values(series: Series) -> dict[str, Any]:
    return {
        "collective": series.collective,
        "instance_type": series.machine.name if series.machine is not None else None,
        "gpus_per_node": series.gpus_per_node,
        "size_bytes": series.size_bytes,
        "definition": DEFINITION,
        "base_nodes": series.base_nodes,
        "single_node": series.why_not_one,
        "measured": [_point(one) for one in series.points],
        "forecast": [_forecast(one) for one in forecasts(series)],
    }


def _point(one: Point) -> dict[str, Any]:
    return {
        "nodes": one.nodes,
        "busbw_gb_s": one.busbw_gb_s,
        "efficiency": one.of_base,
        "efficiency_at_most": one.possible_of_base,
        "share_of_ceiling": one.of_ceiling,
        "ceiling_gb_s": one.ceiling.busbw_gb_s if one.ceiling is not None else None,
        "ceiling": one.ceiling.why if one.ceiling is not None else None,
    }


def _forecast(one: Forecast) -> dict[str, Any]:
    return {
        "nodes": one.nodes,
        "busbw_gb_s": one.busbw_gb_s,
        "least_gb_s": one.least_gb_s,
        "most_gb_s": one.most_gb_s,
        "ceiling_gb_s": one.ceiling.busbw_gb_s,
        "confidence": one.confidence,
        "basis": one.basis,
    }
