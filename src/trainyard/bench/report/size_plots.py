"""Bus bandwidth and time over the size: the runs, the band that is expected, the ceiling, and published runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.bench.report.figures import gb_s, microseconds, size
from trainyard.bench.report.plot import WIDE, Plot, Shape, even, logarithmic

Run = Mapping[str, Any]

# More lines than this cannot be told apart by colour.
_MOST_COLOURS = 6
_MOST_NAMED = 3


def bandwidth_plot(chart: Mapping[str, Any], names: Mapping[int, str], shape: Shape = WIDE) -> ET.Element:
    """Return bus bandwidth, on an even axis, over size."""
    unit = chart["bandwidth_unit"]
    y = even(f"bus bandwidth ({unit})", max(_values(chart, "busbw_gb_s") + _ceiling(chart)), gb_s)
    title, about = f"{chart['title']}: bus bandwidth", _about(chart, "busbw_gb_s", gb_s)
    plot = Plot(title, about, _size_axis(chart), y, shape)
    expected = chart["expected"]
    if expected:
        low, high = _line(expected, "least_gb_s"), _line(expected, "most_gb_s")
        plot.band(low, high, "expected", f"expected, confidence {chart['confidence']}")
    if (top := chart["ceiling_gb_s"]) is not None:
        ends = (plot.x.least, plot.x.most)
        plot.line([(one, top) for one in ends], "ceiling", f"ceiling, {gb_s(top)} GB/s", chart["ceiling"])
    _draw_all(plot, chart, names, "busbw_gb_s")
    return plot.done()


def time_plot(chart: Mapping[str, Any], names: Mapping[int, str], shape: Shape = WIDE) -> ET.Element:
    """Return the time of one operation over size, both axes by powers."""
    y = logarithmic("time of one operation", _values(chart, "time_us"), 10, microseconds)
    title, about = f"{chart['title']}: latency", _about(chart, "time_us", microseconds)
    plot = Plot(title, about, _size_axis(chart), y, shape)
    if chart["expected"]:
        plot.line(_line(chart["expected"], "time_us"), "typical", f"expected, confidence {chart['confidence']}")
    _draw_all(plot, chart, names, "time_us")
    return plot.done()


def _size_axis(chart: Mapping[str, Any]) -> Any:
    sizes = [point["size_bytes"] for run in chart["runs"] for point in run["points"]]
    return logarithmic("size", sizes, 2, size)


def _values(chart: Mapping[str, Any], key: str) -> list[float]:
    shown = [*chart["runs"], *chart["references"]]
    return [point[key] for one in shown for point in one["points"] if point[key] > 0]


def _ceiling(chart: Mapping[str, Any]) -> list[float]:
    return [0.0] if chart["ceiling_gb_s"] is None else [chart["ceiling_gb_s"]]


def _line(points: Sequence[Mapping[str, float]], key: str) -> list[tuple[float, float]]:
    # An axis by powers has no place for 0, and nccl-tests prints 0.00 where little was sent.
    return [(point["size_bytes"], point[key]) for point in points if point[key] > 0 or key != "time_us"]


def _draw_all(plot: Plot, chart: Mapping[str, Any], names: Mapping[int, str], key: str) -> None:
    for at, one in enumerate(chart["references"]):
        for index, point in enumerate(_line(one["points"], key)):
            plot.dot(point, f"reference r{at % 3}", one["name"], one["name"] if index == 0 else None)
    runs = chart["runs"]
    if len(runs) <= _MOST_COLOURS:
        for at, run in enumerate(runs):
            plot.line(_line(run["points"], key), f"run s{at}", names[run["number"]])
        return
    slowest = sorted(runs, key=_best)[:_MOST_NAMED]
    for at, run in enumerate(one for one in runs if one not in slowest):
        named = f"{len(runs) - len(slowest)} other runs" if at == 0 else None
        plot.line(_line(run["points"], key), "run many", named, names[run["number"]])
    for at, run in enumerate(slowest):
        plot.line(_line(run["points"], key), f"run s{at + 1}", f"slowest: {names[run['number']]}")


def _best(run: Run) -> float:
    best: float = max((point["busbw_gb_s"] for point in run["points"]), default=0.0)
    return best


def _about(chart: Mapping[str, Any], key: str, written: Callable[[float], str]) -> str:
    values = _values({**chart, "references": []}, key) or [0.0]
    return f"{len(chart['runs'])} runs, from {written(min(values))} to {written(max(values))}"
