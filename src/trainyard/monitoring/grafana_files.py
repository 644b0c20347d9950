"""The dashboards that a cluster can fill, as Grafana's JSON: chosen of what `make generate` made, each in its place.

Every Grafana that AWS or we run today takes them, as schemaVersion says which words they use:
https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

COMPILED = Path(__file__).with_name("grafana.json")
COLUMNS = 24
"""Of Grafana's grid: what the widths of panels count."""
UID = "trainyard-{}"
_LINK = f"/d/{UID.format('')}"
# Of 2^31 - 1 that Grafana has for ids, so few that they stay readable; a test finds two that are the same.
_IDS = 100_000
Plain = dict[str, Any]


def grafana_files(has: Iterable[str]) -> dict[str, bytes]:
    """Return a file for each dashboard, by its name: those that a cluster with so much can fill, and only such panels.

    ``has``: see `features_of`. The same features give the same bytes: keys are sorted as they are in the compiled file.
    """
    return {
        f"{name}.json": to_json(document, indent=2, ensure_ascii=True) + b"\n"
        for name, document in grafana_documents(has).items()
    }


def grafana_documents(has: Iterable[str]) -> dict[str, Plain]:
    """Return the same as values, by the ids of the dashboards, in the order in which people see them."""
    features = frozenset(has)
    chosen = [dashboard for dashboard in _compiled() if features.issuperset(dashboard["needs"])]
    linked_ids = {dashboard["id"] for dashboard in chosen}
    return {
        dashboard["id"]: {
            **_with_log_variables(dashboard, features),
            "annotations": {"list": _events(dashboard, features)},
            "panels": list(_placed(_fitting_rows(dashboard, features, linked_ids))),
        }
        for dashboard in chosen
    }


def _with_log_variables(dashboard: Plain, features: frozenset[str]) -> Plain:
    document = dashboard["document"]
    own = [log["variable"] for log in dashboard["log_variables"] if not features.isdisjoint(log["any_of"])]
    return {**document, "templating": {"list": [*document["templating"]["list"], *own]}} if own else dict(document)


def _events(dashboard: Plain, features: frozenset[str]) -> list[Plain]:
    return [event["annotation"] for event in dashboard["events"] if features.issuperset(event["needs"])]


@cache
def _compiled() -> tuple[Plain, ...]:
    return tuple(from_json(COMPILED.read_bytes()))


def _fitting_rows(
    dashboard: Plain, features: frozenset[str], linked_ids: set[str]
) -> Iterator[tuple[Plain, list[Plain]]]:
    """Yield the rows that have any panels, without links to what is not there."""
    for row in dashboard["rows"]:
        panels = [panel["panel"] for panel in row["panels"] if features.issuperset(panel["needs"])]
        if panels:
            yield row["row"], [{**panel, "links": _links(panel, linked_ids)} for panel in panels]


def _links(panel: Plain, linked_ids: set[str]) -> list[Plain]:
    return [link for link in panel["links"] if link["url"].removeprefix(_LINK).partition("?")[0] in linked_ids]


def stable_id(name: str) -> int:
    """Return the number of a panel or row: of its own name, so that it stays when others come and go."""
    return zlib.crc32(name.encode()) % _IDS + 1


def _placed(rows: Iterable[tuple[Plain, list[Plain]]]) -> Iterator[Plain]:
    y = 0
    for row, panels in rows:
        heading = {**row, "gridPos": {"h": 1, "w": COLUMNS, "x": 0, "y": y}}
        y += 1
        placed: list[Plain] = []
        below = y
        for line in lines(panels):
            placed += _in_line(line, below)
            below += max(panel["gridPos"]["h"] for panel in line)
        if row["collapsed"]:
            # Grafana keeps the panels of a folded row in it, and moves what follows when somebody opens it.
            yield {**heading, "panels": placed}
        else:
            yield heading
            yield from placed
            y = below


def lines(panels: Iterable[Plain]) -> list[list[Plain]]:
    """Return which panels stand beside each other: as many as fit."""
    panel_lines: list[list[Plain]] = [[]]
    for panel in panels:
        if sum(panel_["gridPos"]["w"] for panel_ in (*panel_lines[-1], panel)) > COLUMNS:
            panel_lines.append([])
        panel_lines[-1].append(panel)
    return panel_lines


def _in_line(line: list[Plain], y: int) -> Iterator[Plain]:
    """Yield the panels of a line, made wider where others of it were left out."""
    widths = [panel["gridPos"]["w"] for panel in line]
    x = 0
    for at, panel in enumerate(line):
        end = COLUMNS * sum(widths[: at + 1]) // sum(widths)
        yield {**panel, "gridPos": {"h": panel["gridPos"]["h"], "w": end - x, "x": x, "y": y}}
        x = end
