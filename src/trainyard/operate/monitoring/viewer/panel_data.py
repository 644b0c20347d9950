"""What a panel shows, as JSON for the page. An error of a panel stays in that panel."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from trainyard.edge.prometheus_api import Series
from trainyard.errors import TrainyardError
from trainyard.foreign_text import cut_line
from trainyard.monitoring.dashboard import Panel, PanelQuery
from trainyard.operate.monitoring.viewer.panel_queries import PanelQueries, QueryResult
from trainyard.operate.monitoring.viewer.selection import Selection, Window, natural

MOST_SERIES = {
    "timeseries": 20,
    "stat": 12,
    "gauge": 8,
    "bars": 30,
    "table": 500,
    "heatmap": 60,
    "states": 40,
    "tiles": 50_000,
}
_MOST_PARTS = 300
"""Series of stacked bars: 20 runs with up to 15 uses each."""
_OVER_TIME = {"timeseries", "heatmap", "states"}
_LABEL = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
# A name is read, not searched.
_LONGEST, _LONGEST_LABEL = 120, 300
_MOST_NODES, _MOST_BESIDE = 100, 5000
_WHOLE_FROM = 1e9  # times in seconds are above it
_USUAL, _ROLE = {"low", "median", "high"}, "role"


def panel_data(asking: PanelQueries, panel: Panel, selection: Selection, window: Window) -> dict[str, Any]:
    """Return its series, or why there are none."""
    began = time.monotonic()
    try:
        if panel.kind == "tiles":
            return {**_tiles(asking, panel, selection, window), "ms": round((time.monotonic() - began) * 1000)}
        band = _band(asking, panel, selection, window)
        answers = [band.get(query) or _query_data(asking, panel, query, selection, window) for query in _queries(panel)]
        beside = _beside(asking, panel, answers[0].series, selection, window)
    except TrainyardError as error:
        return {"id": panel.id, "error": {"problem": error.problem, "hint": error.hint}}
    series = [
        {"query": number, **_series(series, query, answer.window, over_time=_is_over_time(panel, query))}
        for number, (query, answer) in enumerate(zip(_queries(panel), answers, strict=True))
        for series in sorted(answer.series, key=lambda series: natural(series_name(query.legend, series.labels)))
    ]
    if beside:
        series = [{**one, "beside": beside.get(_row_key(panel, one["labels"]), {})} for one in series]
    own = [answer for query, answer in zip(_queries(panel), answers, strict=True) if not query.role]
    return {
        "id": panel.id,
        "series": series,
        "shown": sum(len(answer.series) for answer in own),
        "total": sum(answer.total for answer in own),
        "ms": round((time.monotonic() - began) * 1000),
    }


def _band(asking: PanelQueries, panel: Panel, selection: Selection, window: Window) -> dict[PanelQuery, QueryResult]:
    """Return what is usual, of which three queries are asked as one: a page has many of them."""
    queries = [query for query in panel.queries if query.role in _USUAL]
    if not queries:
        return {}
    together = " or ".join(f'label_replace({query.expr}, "{_ROLE}", "{query.role}", "", "")' for query in queries)
    answer = asking.over_time(together, selection, window, len(queries))
    by_role = {series.labels.get(_ROLE, ""): Series({}, series.points) for series in answer.series}
    return {
        query: QueryResult([by_role[query.role]] if query.role in by_role else [], 1, answer.window)
        for query in queries
    }


def _queries(panel: Panel) -> tuple[PanelQuery, ...]:
    """Return what gives series of its own: of a table the first query alone."""
    return panel.queries[:1] if panel.kind == "table" else panel.queries


def _beside(
    asking: PanelQueries, panel: Panel, rows: list[Series], selection: Selection, window: Window
) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return what the further queries of a table say of each row, asked of the nodes of the rows alone."""
    if panel.kind != "table" or len(panel.queries) == 1 or not rows:
        return {}
    nodes = {series.labels.get("node_name", "") for series in rows}
    among = selection if "" in nodes or len(nodes) > _MOST_NODES else replace(selection, node=tuple(sorted(nodes)))
    values: dict[tuple[str, ...], dict[str, Any]] = {}
    for column, query in zip(panel.value_columns()[1:], panel.queries[1:], strict=True):
        for series in asking.newest(query.expr, among, window, _MOST_BESIDE).series:
            values.setdefault(_row_key(panel, series.labels), {})[column] = _number(series.points[-1][1])
    return values


def _row_key(panel: Panel, labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels.get(column.label, "") for column in panel.columns if not column.label.startswith("Value"))


def _tiles(asking: PanelQueries, panel: Panel, selection: Selection, window: Window) -> dict[str, Any]:
    """Return the tiles: a series for each name, with a value for each column, and the columns."""
    query, label = panel.queries[0], panel.columns[0].label
    answer = asking.newest(query.expr, selection, window, MOST_SERIES["tiles"])
    rows: dict[str, dict[str, Any]] = {}
    named = _LABEL.findall(query.legend)
    name_of = cache(lambda *values: series_name(query.legend, dict(zip(named, values, strict=True))))  # of 8 GPUs each
    for series in answer.series:
        name = name_of(*(series.labels.get(one, "") for one in named))
        rows.setdefault(name, {})[series.labels.get(label, "")] = _number(series.points[-1][1])
    columns = sorted({column for values in rows.values() for column in values}, key=natural)
    tiles = [
        {"name": name, "values": [rows[name].get(column) for column in columns]} for name in sorted(rows, key=natural)
    ]
    return {
        "id": panel.id,
        "series": tiles,
        "columns": [cut_line(column, _LONGEST) for column in columns],
        "shown": len(answer.series),
        "total": answer.total,
    }


def has_data(asking: PanelQueries, panel: Panel, selection: Selection, window: Window) -> bool:
    """Return whether one of its queries has a value now that is a number. Raises TrainyardError."""
    own = (query for query in panel.queries if not query.role)
    answers = (asking.newest(query.expr, selection, window, 1) for query in own)
    return any(answer.total for answer in answers)


def series_name(legend: str, labels: Mapping[str, str]) -> str:
    """Return the legend with its labels filled in; without a legend, all labels."""
    name = _LABEL.sub(lambda match: labels.get(match[1], ""), legend).strip() if legend else _all(labels)
    return cut_line(name, _LONGEST)


def _query_data(
    asking: PanelQueries, panel: Panel, query: PanelQuery, selection: Selection, window: Window
) -> QueryResult:
    most = _MOST_PARTS if panel.is_stacked_bars else MOST_SERIES[panel.kind]
    if _is_over_time(panel, query):
        own = sum(not one.role for one in panel.queries)
        return asking.over_time(query.expr, selection, window, max(most // own, 4))
    return asking.newest(query.expr, selection, window, most)


def _is_over_time(panel: Panel, query: PanelQuery) -> bool:
    return panel.kind in _OVER_TIME and not query.instant


def _series(series: Series, query: PanelQuery, window: Window, *, over_time: bool) -> dict[str, Any]:
    entry = {
        "name": series_name(query.legend, series.labels),
        "labels": {
            cut_line(name, _LONGEST): cut_line(value, _LONGEST_LABEL)
            for name, value in series.labels.items()
            if name != "__name__"
        },
        "newest": _number(series.points[-1][1]) if series.points else None,
    }
    if not over_time:
        return entry
    return {**entry, "start": window.start_s, "step": window.step_s, "values": _on_grid(series, window)}


def _on_grid(series: Series, window: Window) -> list[float | str | None]:
    """Return a value for each step; None where there is none, so that lines have gaps where data have."""
    if len(series.points) == window.points:
        return [_number(value) for _, value in series.points]
    values: list[float | str | None] = [None] * window.points
    for at_s, value in series.points:
        place = round((at_s - window.start_s) / window.step_s)
        if 0 <= place < len(values):
            values[place] = _number(value)
    return values


def _number(value: float) -> float | str | None:
    """Return what JSON can hold, with as many digits as anybody reads: of times, each second."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return float(f"{value:.7g}") if abs(value) < _WHOLE_FROM else float(round(value))


def _all(labels: Mapping[str, str]) -> str:
    label_text = ", ".join(f"{name}={value}" for name, value in sorted(labels.items()) if name != "__name__")
    return label_text or labels.get("__name__", "")
