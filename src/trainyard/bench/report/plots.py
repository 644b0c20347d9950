"""All plots of a report: for its page, and as files of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from trainyard.bench.report.figures import gb_s, microseconds, share, size
from trainyard.bench.report.heat_maps import heat_maps
from trainyard.render.plot import STYLE, WIDE, Plot, Shape, linear, logarithmic

_NO_PART_OF_A_NAME = re.compile(r"[^a-z0-9]+")
Run = Mapping[str, Any]
# More lines than this cannot be told apart by colour.
_MOST_COLOURS = 6
_MOST_NAMED = 3


class Plots(NamedTuple):
    """The pictures, as SVG elements without their style."""

    sizes: list[tuple[ET.Element, ET.Element]]
    """Bandwidth and time of each chart."""
    scaling: list[ET.Element]
    nodes: list[ET.Element]


def plots(values: Mapping[str, Any]) -> Plots:
    """Return all plots of a report's values."""
    names = {run["number"]: run["name"] for run in values["runs"]}
    return Plots(
        [(bandwidth_plot(chart, names), time_plot(chart, names)) for chart in values["charts"]],
        [scaling_plot(series) for series in values["scaling"]],
        list(heat_maps(values["nodes"])),
    )


def plot_files(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the plots by file name, each a whole SVG document."""
    drawn = plots(values)
    pictures = [*(picture for both in drawn.sizes for picture in both), *drawn.scaling, *drawn.nodes]
    return {f"{at:02}-{_name(picture)}.svg": _document(picture) for at, picture in enumerate(pictures, 1)}


def _name(picture: ET.Element) -> str:
    title = picture.findtext("title") or ""
    return _NO_PART_OF_A_NAME.sub("-", title.lower()).strip("-")[:80]


def _document(picture: ET.Element) -> str:
    whole = deepcopy(picture)
    style = ET.Element("style")
    style.text = STYLE.read_text(encoding="utf-8")
    whole.insert(0, style)
    _, _, width, height = whole.get("viewBox", "0 0 0 0").split()
    whole.attrib.update({"width": width, "height": height})
    return f"{ET.tostring(whole, encoding='unicode')}\n"


def scaling_plot(series: Mapping[str, Any], shape: Shape = WIDE) -> ET.Element:
    """Return the plot of a series."""
    measured, forecast = series["measured"], series["forecast"]
    both = [*measured, *forecast]
    tops = [point["ceiling_gb_s"] for point in both if point["ceiling_gb_s"] is not None]
    values = [
        *(point["busbw_gb_s"] for point in both),
        *(forecast_point["most_gb_s"] for forecast_point in forecast),
        *tops,
    ]
    x = logarithmic("nodes", [point["nodes"] for point in both], 2, lambda nodes: f"{nodes:,.0f}")
    machine = series["instance_type"] or "an unknown machine"
    kind = "scaling and forecast" if forecast else "scaling"
    title = f"{series['collective']} on {machine} at {size(series['size_bytes'])}: {kind}"
    plot = Plot(title, _about(series), x, linear("bus bandwidth (GB/s)", max(values), gb_s), shape)
    if forecast:
        plot.band(_line(forecast, "least_gb_s"), _line(forecast, "most_gb_s"), "forecast", "forecast, its band")
        plot.line(_line(forecast, "busbw_gb_s"), "forecast", "forecast, not measured")
    if tops:
        plot.line(_ceilings(both), "ceiling", "ceiling of so many nodes")
    for at, point in enumerate(measured):
        efficiency = "" if point["efficiency"] is None else f", {share(point['efficiency'])} of the base"
        about = f"{point['nodes']} nodes: {gb_s(point['busbw_gb_s'])} GB/s{efficiency}"
        plot.dot((point["nodes"], point["busbw_gb_s"]), "run s0 large", about, "measured" if at == 0 else None)
    return plot.done()


def _line(points: list[dict[str, Any]], key: str) -> list[tuple[float, float]]:
    return [(point["nodes"], point[key]) for point in points]


def _ceilings(points: list[dict[str, Any]]) -> list[tuple[float, float]]:
    return sorted({(point["nodes"], point["ceiling_gb_s"]) for point in points if point["ceiling_gb_s"] is not None})


def _about(series: Mapping[str, Any]) -> str:
    texts = [f"{point['nodes']} nodes {gb_s(point['busbw_gb_s'])} GB/s" for point in series["measured"]]
    further = f"; the forecast reaches to {series['forecast'][-1]['nodes']:,} nodes" if series["forecast"] else ""
    return f"measured: {', '.join(texts)}{further}"


def bandwidth_plot(chart: Mapping[str, Any], names: Mapping[int, str], shape: Shape = WIDE) -> ET.Element:
    """Return bus bandwidth, on an even axis, over size."""
    unit = chart["bandwidth_unit"]
    y = linear(f"bus bandwidth ({unit})", max(_values(chart, "busbw_gb_s") + _ceiling(chart)), gb_s)
    title, about = f"{chart['title']}: bus bandwidth", _size_range(chart, "busbw_gb_s", gb_s)
    plot = Plot(title, about, _size_axis(chart), y, shape)
    expected = chart["expected"]
    if expected:
        low, high = _points(expected, "least_gb_s"), _points(expected, "most_gb_s")
        plot.band(low, high, "expected", f"expected, confidence {chart['confidence']}")
    if (top := chart["ceiling_gb_s"]) is not None:
        ends = (plot.x.least, plot.x.most)
        plot.line([(end, top) for end in ends], "ceiling", f"ceiling, {gb_s(top)} GB/s", chart["ceiling"])
    _draw_all(plot, chart, names, "busbw_gb_s")
    return plot.done()


def time_plot(chart: Mapping[str, Any], names: Mapping[int, str], shape: Shape = WIDE) -> ET.Element:
    """Return the time of one operation over size, both axes by powers."""
    y = logarithmic("time of one operation", _values(chart, "time_us"), 10, microseconds)
    title, about = f"{chart['title']}: latency", _size_range(chart, "time_us", microseconds)
    plot = Plot(title, about, _size_axis(chart), y, shape)
    if chart["expected"]:
        plot.line(_points(chart["expected"], "time_us"), "typical", f"expected, confidence {chart['confidence']}")
    _draw_all(plot, chart, names, "time_us")
    return plot.done()


def _size_axis(chart: Mapping[str, Any]) -> Any:
    sizes = [point["size_bytes"] for run in chart["runs"] for point in run["points"]]
    return logarithmic("size", sizes, 2, size)


def _values(chart: Mapping[str, Any], key: str) -> list[float]:
    shown = [*chart["runs"], *chart["references"]]
    return [point[key] for curve in shown for point in curve["points"] if point[key] > 0]


def _ceiling(chart: Mapping[str, Any]) -> list[float]:
    return [0.0] if chart["ceiling_gb_s"] is None else [chart["ceiling_gb_s"]]


def _points(points: Sequence[Mapping[str, float]], key: str) -> list[tuple[float, float]]:
    # An axis by powers has no place for 0, and nccl-tests prints 0.00 where little was sent.
    return [(point["size_bytes"], point[key]) for point in points if point[key] > 0 or key != "time_us"]


def _draw_all(plot: Plot, chart: Mapping[str, Any], names: Mapping[int, str], key: str) -> None:
    for at, reference in enumerate(chart["references"]):
        for index, point in enumerate(_points(reference["points"], key)):
            plot.dot(point, f"reference r{at % 3}", reference["name"], reference["name"] if index == 0 else None)
    runs = chart["runs"]
    if len(runs) <= _MOST_COLOURS:
        for at, run in enumerate(runs):
            plot.line(_points(run["points"], key), f"run s{at}", names[run["number"]])
        return
    slowest = sorted(runs, key=_best)[:_MOST_NAMED]
    for at, run in enumerate(run for run in runs if run not in slowest):
        named = f"{len(runs) - len(slowest)} other runs" if at == 0 else None
        plot.line(_points(run["points"], key), "run many", named, names[run["number"]])
    for at, run in enumerate(slowest):
        plot.line(_points(run["points"], key), f"run s{at + 1}", f"slowest: {names[run['number']]}")


def _best(run: Run) -> float:
    best: float = max((point["busbw_gb_s"] for point in run["points"]), default=0.0)
    return best


def _size_range(chart: Mapping[str, Any], key: str, written: Callable[[float], str]) -> str:
    values = _values({**chart, "references": []}, key) or [0.0]
    return f"{len(chart['runs'])} runs, from {written(min(values))} to {written(max(values))}"
