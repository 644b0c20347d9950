"""The CloudWatch dashboards of a cluster, as bodies for PutDashboard.

Below CloudWatch's limits by far: 500 widgets, and 500 metrics in one of them, of which a search returns no more.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from trainyard.monitoring.cloudwatch_cluster import fsx_file_systems, given, known_as, names
from trainyard.monitoring.cloudwatch_dashboard import (
    COLUMNS,
    OF_CLUSTER,
    OF_SETTINGS,
    CloudWatchDashboard,
    Widget,
    cloudwatch_dashboards,
    dashboard_name,
)
from trainyard.monitoring.cloudwatch_mark import marked, unmarked
from trainyard.monitoring.cloudwatch_widgets import Filled
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

_HEADING_HEIGHT = 4
_NOTE_HEIGHT = 3


class _Box(NamedTuple):
    """A widget before it has its place."""

    type: str
    width: int
    height: int
    properties: dict[str, Any]


def cloudwatch_bodies(spec: Spec, known: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the bodies of a cluster's dashboards by their names, none where the spec wants none.

    ``known`` are the ids of ``cloudwatch_cluster.needed_ids``, under the names that `render/stand_ins.py` gives them.
    """
    if not wants_dashboards(spec):
        return {}
    file_systems = [
        (system, system.id or known[known_as(system.kind, system.number)]) for system in fsx_file_systems(spec)
    ]
    filled = Filled(given(spec), names(spec, known), file_systems)
    return {dashboard_name(spec.name, one): _body(spec, one, filled) for one in dashboards_of(spec)}


def wants_dashboards(spec: Spec) -> bool:
    """Return whether a spec has dashboards in CloudWatch: a cluster of ParallelCluster that asks for them."""
    return spec.monitoring.dashboard and platform_of(spec).made_by_parallelcluster


def dashboards_of(spec: Spec) -> tuple[CloudWatchDashboard, ...]:
    """Return the dashboards that a cluster can fill."""
    has = given(spec)
    return tuple(
        cloudwatch_dashboard
        for cloudwatch_dashboard in cloudwatch_dashboards()
        if has.issuperset(cloudwatch_dashboard.needs)
    )


def _body(spec: Spec, dashboard: CloudWatchDashboard, filled: Filled) -> dict[str, Any]:
    boxes = [_heading(spec, dashboard), *_boxes(dashboard.widgets, filled)]
    return marked({"widgets": list(_placed(boxes))})


def _heading(spec: Spec, dashboard: CloudWatchDashboard) -> _Box:
    lines = [
        f"# {spec.name}",
        f"{dashboard.description}",
        "trainyard made this. What people change here stays: trainyard does not overwrite it."
        + (
            " Lists of log events read the log group whenever they load, which CloudWatch charges."
            * spec.monitoring.logs
        ),
        f"`{unmarked(spec.region, spec.name)}`",
    ]
    return _text(lines, _HEADING_HEIGHT)


def _boxes(widgets: Iterable[Widget], filled: Filled) -> Iterator[_Box]:
    """Yield what can be shown, and one text for those next to each other that lack the same setting."""
    shown = [one for widget in widgets if (one := _shown(widget, filled.given)) is not None]
    for lacking, some in groupby(shown, key=lambda widget: _lacking(widget, filled.given)):
        if lacking:
            yield _note(list(some), lacking)
        else:
            yield from (_box(widget, filled) for widget in some)


def _shown(widget: Widget, has: frozenset[str]) -> Widget | None:
    """Return the widget or what stands in its place; None where the cluster has nothing that it could show."""
    if any(need in OF_CLUSTER and need not in has for need in widget.needs):
        return None
    return widget.instead if _lacking(widget, has) and widget.instead is not None else widget


def _lacking(widget: Widget, has: frozenset[str]) -> tuple[str, ...]:
    return tuple(need for need in widget.needs if need in OF_SETTINGS and need not in has)


def _note(widgets: list[Widget], lacking: tuple[str, ...]) -> _Box:
    what = ", ".join(dict.fromkeys(widget.shows for widget in widgets))
    settings = " and ".join(OF_SETTINGS[one] for one in lacking)
    return _text([f"### Not measured: {what}", f"The spec of the cluster needs {settings} for it."], _NOTE_HEIGHT)


def _text(lines: list[str], height: int) -> _Box:
    return _Box("text", COLUMNS, height, {"markdown": "\n\n".join(lines)})


def _box(widget: Widget, filled: Filled) -> _Box:
    type_ = {"graph": "metric", "number": "metric", "log": "log", "explorer": "explorer"}[widget.kind]
    width, height = (6, 4) if widget.kind == "number" else (widget.width, widget.height)
    return _Box(type_, width, height, filled.properties(widget))


def _placed(boxes: Iterable[_Box]) -> Iterator[dict[str, Any]]:
    """Yield the widgets in rows from left to right, each row below the highest of the one before."""
    x = y = row_height = 0
    for box in boxes:
        if x + box.width > COLUMNS:
            x, y, row_height = 0, y + row_height, 0
        place = {"x": x, "y": y, "width": box.width, "height": box.height}
        yield {"type": box.type, **place, "properties": box.properties}
        x, row_height = x + box.width, max(row_height, box.height)
