"""Bus bandwidth over the number of nodes: what was measured, the ceiling of so many, and the forecast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.bench.report.figures import gb_s, share, size
from trainyard.bench.report.plot import WIDE, Plot, Shape, even, logarithmic


def scaling_plot(series: Mapping[str, Any], shape: Shape = WIDE) -> ET.Element:
    """Return the plot of a series."""
    measured, forecast = series["measured"], series["forecast"]
    both = [*measured, *forecast]
    tops = [one["ceiling_gb_s"] for one in both if one["ceiling_gb_s"] is not None]
    values = [*(one["busbw_gb_s"] for one in both), *(one["most_gb_s"] for one in forecast), *tops]
    x = logarithmic("nodes", [one["nodes"] for one in both], 2, lambda nodes: f"{nodes:,.0f}")
    machine = series["instance_type"] or "an unknown machine"
    kind = "scaling and forecast" if forecast else "scaling"
    title = f"{series['collective']} on {machine} at {size(series['size_bytes'])}: {kind}"
    plot = Plot(title, _about(series), x, even("bus bandwidth (GB/s)", max(values), gb_s), shape)
    if forecast:
        plot.band(_line(forecast, "least_gb_s"), _line(forecast, "most_gb_s"), "forecast", "forecast, its band")
        plot.line(_line(forecast, "busbw_gb_s"), "forecast", "forecast, not measured")
    if tops:
        plot.line(_ceilings(both), "ceiling", "ceiling of so many nodes")
    for at, one in enumerate(measured):
        efficiency = "" if one["efficiency"] is None else f", {share(one['efficiency'])} of the base"
        about = f"{one['nodes']} nodes: {gb_s(one['busbw_gb_s'])} GB/s{efficiency}"
        plot.dot((one["nodes"], one["busbw_gb_s"]), "run s0 large", about, "measured" if at == 0 else None)
    return plot.done()


def _line(points: list[dict[str, Any]], key: str) -> list[tuple[float, float]]:
    return [(one["nodes"], one[key]) for one in points]


def _ceilings(points: list[dict[str, Any]]) -> list[tuple[float, float]]:
    return sorted({(one["nodes"], one["ceiling_gb_s"]) for one in points if one["ceiling_gb_s"] is not None})


def _about(series: Mapping[str, Any]) -> str:
    told = [f"{one['nodes']} nodes {gb_s(one['busbw_gb_s'])} GB/s" for one in series["measured"]]
    further = f"; the forecast reaches to {series['forecast'][-1]['nodes']:,} nodes" if series["forecast"] else ""
    return f"measured: {', '.join(told)}{further}"
