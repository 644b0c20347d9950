"""The tables of a report's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.bench.report.figures import gb_s, share, size
from trainyard.counts import count_text
from trainyard.render.html_page import add_row, add_table, name_cells
from trainyard.render.markup import add

_MOST_OPEN = 20
_RUN_COLUMNS = ("Verdict", "Collective", "Nodes", "Ranks", "Best GB/s", "at", "Expected", "Ceiling")
_WORST = ("broken", "degraded", "unknown", "healthy")


def add_runs(parent: ET.Element, runs: Sequence[Mapping[str, Any]]) -> None:
    """Add all runs, the worst first; many of them are closed until somebody opens them."""
    ordered = sorted(runs, key=lambda run: (_WORST.index(run["verdict"]), run["max_busbw_gb_s"] or 0.0))
    _add_some_runs(parent, ordered[:_MOST_OPEN])
    if len(ordered) > _MOST_OPEN:
        details = add(parent, "details")
        add(details, "summary", count_text(len(ordered) - _MOST_OPEN, "more run"))
        _add_some_runs(details, ordered[_MOST_OPEN:])


def _add_some_runs(parent: ET.Element, runs: Sequence[Mapping[str, Any]]) -> None:
    dated = any(run["began"] for run in runs)
    columns = ("Name", "Run", *(("Began",) if dated else ()), *_RUN_COLUMNS)
    body = add_table(parent, columns)
    for run in runs:
        row = add(body, "tr")
        name = add(row, "th", run["name"], scope="row")
        if run["hosts"]:
            add(name, "small", _hosts(run["hosts"]))
        add(row, "td", run["number"], class_="number")
        if dated:
            add(row, "td", _minute(run["began"] or ""), class_="number")
        add(add(row, "td"), "span", run["verdict"], class_=f"pill {run['verdict']}")
        add(row, "td", run["collective"] or "unknown")
        at = "" if run["at_size_bytes"] is None else size(run["at_size_bytes"])
        for value in (run["nodes"] or "", run["ranks"] or "", _measured(run), at, _expected(run)):
            add(row, "td", value, class_="number")
        add(row, "td", gb_s(run["ceiling_gb_s"]), class_="number")
        name_cells(row, columns)


def _minute(began: str) -> str:
    """Return when a run began without its seconds, and with UTC where it is."""
    return f"{began[:16].replace('T', ' ')}{' UTC' if began.endswith('Z') else ''}"


def _measured(run: Mapping[str, Any]) -> str:
    unit = "" if run["bandwidth_unit"] == "GB/s" else f" {run['bandwidth_unit']}"
    return f"{gb_s(run['max_busbw_gb_s'])}{unit}"


def _expected(run: Mapping[str, Any]) -> str:
    if not run["expected_gb_s"] or run["max_busbw_gb_s"] is None:
        return ""
    return f"{share(run['max_busbw_gb_s'] / run['expected_gb_s'])} of {gb_s(run['expected_gb_s'])}"


def _hosts(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - 4} more" if len(hosts) > 4 else ""
    return f"{', '.join(hosts[:4])}{more}"


def add_scaling(parent: ET.Element, series: Mapping[str, Any]) -> None:
    """Add what was measured of a series, and its forecast."""
    add(parent, "h3", f"Measured at {size(series['size_bytes'])}")
    add(parent, "p", series["definition"], class_="quiet")
    columns = ("Nodes", "Bus bandwidth GB/s", "Efficiency", "at most", "Ceiling GB/s", "of the ceiling")
    body = add_table(parent, columns)
    for point in series["measured"]:
        cells = (
            point["nodes"], gb_s(point["busbw_gb_s"]), share(point["efficiency"]) or "no base",
            share(point["efficiency_at_most"]), gb_s(point["ceiling_gb_s"]), share(point["share_of_ceiling"]),
        )  # fmt: skip
        add_row(body, columns, cells)
    if series["single_node"]:
        sentence = str(series["single_node"])
        add(parent, "p", f"{sentence[0].upper()}{sentence[1:]}.", class_="quiet")
    if series["forecast"]:
        _add_forecast(parent, series["forecast"])


def _add_forecast(parent: ET.Element, forecast: Sequence[Mapping[str, Any]]) -> None:
    add(parent, "h3", "Forecast, not measured")
    columns = ("Nodes", "Expected GB/s", "Band", "Ceiling GB/s", "Confidence")
    body = add_table(parent, columns)
    for forecast_point in forecast:
        band = f"{gb_s(forecast_point['least_gb_s'])} to {gb_s(forecast_point['most_gb_s'])}"
        add_row(
            body,
            columns,
            (
                f"{forecast_point['nodes']:,}",
                gb_s(forecast_point["busbw_gb_s"]),
                band,
                gb_s(forecast_point["ceiling_gb_s"]),
                forecast_point["confidence"],
            ),
        )
    add(
        parent,
        "p",
        f"Rests on: {'; '.join(dict.fromkeys(_basis(forecast_point) for forecast_point in forecast))}.",
        class_="quiet",
    )


def _basis(forecast_point: Mapping[str, Any]) -> str:
    """Return the run that a forecast rests on, without how it was carried over to each number of nodes."""
    basis = str(forecast_point["basis"])
    return basis.partition(", ")[0] if " showed " in basis else basis


def add_names(parent: ET.Element, title: str, names: Sequence[Mapping[str, Any]], runs: int) -> None:
    """Add what things are called and how they are set, and in how many runs where these differ."""
    if not names:
        return
    add(parent, "h3", title)
    body = add_table(parent, ("Name", "Value"))
    for name in names:
        texts = [
            each["value"] if each["runs"] == runs else f"{each['value']} in {count_text(each['runs'], 'run')}"
            for each in name["values"][:8]
        ]
        more = f" and {len(name['values']) - 8} more values" if len(name["values"]) > 8 else ""
        add_row(body, ("Name", "Value"), (name["name"], f"{'; '.join(texts)}{more}"))


def add_evidence(parent: ET.Element, lines: Sequence[Mapping[str, Any]]) -> None:
    """Add lines of the logs, closed until somebody opens them."""
    if not lines:
        return
    details = add(parent, "details")
    add(details, "summary", f"{count_text(len(lines), 'line')} of the logs")
    words = [f"run {line['run']}, line {line['line']}: {line['text']}" for line in lines]
    add(details, "pre", "\n".join(words))
