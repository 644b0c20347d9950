"""CloudWatch dashboards, as data: cloudwatch_dashboards/<id>.yaml, with the widgets that the documents promise.

A rendering reads the same as JSON, which `make generate` writes: reading YAML takes twenty times as long.

A metric is one of CloudWatch's, a search for several of them, or mathematics with the others of its widget. Texts hold
$names, which cloudwatch_cluster.py fills in; $$ is a dollar sign.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic_core import from_json

FOLDER = Path(__file__).with_name("cloudwatch_dashboards")
COMPILED = Path(__file__).with_name("cloudwatch.json")
# The order in which they are made and listed.
ORDER = ("main", "advanced", "efa")
KINDS = ("graph", "number", "log", "explorer")
# What the hardware, the file systems or the version of a cluster give: without it, a widget is left out.
OF_CLUSTER = ("gpu", "efa", "efa-bandwidth", "fsx", "heartbeat", "gpu-health-check", "custom-actions")
# What a setting of the spec gives, by the setting: without it, a text says which.
OF_SETTINGS = {
    "logs": "`monitoring.logs: true`",
    "system": "`system` in `monitoring.cloudwatch_metrics`",
    "slurm": "`slurm` in `monitoring.cloudwatch_metrics`",
    "gpu-metrics": "`gpu` in `monitoring.cloudwatch_metrics`",
    "efa-metrics": "`efa` or `efa-interfaces` in `monitoring.cloudwatch_metrics`",
    "dcgm-log": "a `monitoring.mode` that is not `none`, or `gpu_health_check: true` on a queue",
}
NEEDS = (*OF_CLUSTER, *OF_SETTINGS)
COLUMNS = 24


class CloudWatchMetric(NamedTuple):
    """What is drawn in a widget, or used by its mathematics."""

    name: str = ""
    namespace: str = ""
    dimensions: Mapping[str, str] = {}
    stat: str = ""
    search: str = ""
    """Namespace and names of dimensions in place of one metric: all metrics of the name that have just these."""
    around: str = "SEARCH"
    """Mathematics around the search, which the word SEARCH stands for."""
    expression: str = ""
    """Mathematics with other metrics of the widget, by their ids."""
    label: str = ""
    id: str = ""
    hidden: bool = False
    """Whether it is only there for the mathematics."""
    period_s: str = "60"
    needs: tuple[str, ...] = ()


class YAxis(NamedTuple):
    """What the numbers of a graph are, and between which it reaches."""

    label: str
    min: float | None = None
    max: float | None = None


class Mark(NamedTuple):
    """A line across a graph."""

    value: float
    label: str


class Widget(NamedTuple):
    """One graph, row of numbers, list of log events, or explorer of instances."""

    id: str
    """Unique in its dashboard."""
    shows: str
    """What the documents call it."""
    title: str
    kind: str
    width: int = 8
    """Of 24 columns."""
    height: int = 6
    metrics: tuple[CloudWatchMetric, ...] = ()
    metrics_of_each_file_system: tuple[CloudWatchMetric, ...] = ()
    y_axis: YAxis | None = None
    marks: tuple[Mark, ...] = ()
    bought: bool = False
    """Whether lines across it say how much throughput was bought of each file system, in MB/s."""
    stream: str = ""
    """Of a log: a regular expression for the last part of a stream's name."""
    filter: str = ""
    """Of a log: which events, in the words of Logs Insights; empty for all."""
    needs: tuple[str, ...] = ()
    instead: Widget | None = None
    """What is shown where a setting is missing, in place of a text that names it."""


class CloudWatchDashboard(NamedTuple):
    """A page of widgets."""

    id: str
    suffix: str
    """What its name has after that of the cluster."""
    description: str
    widgets: tuple[Widget, ...]
    needs: tuple[str, ...] = ()
    """What a cluster has to have for the dashboard to be made."""


@cache
def cloudwatch_dashboards() -> tuple[CloudWatchDashboard, ...]:
    """Return all dashboards in their order. An unknown or missing key in their files is a TypeError."""
    return tuple(_dashboard(id_, content) for id_, content in from_json(COMPILED.read_bytes()).items())


def compiled_cloudwatch_dashboards() -> str:
    """Return the text of cloudwatch.json."""
    contents = {id_: yaml.load((FOLDER / f"{id_}.yaml").read_bytes(), Loader=yaml.CSafeLoader) for id_ in ORDER}
    return json.dumps(contents, indent=1) + "\n"


def dashboard_name(cluster: str, dashboard: CloudWatchDashboard) -> str:
    """Return what a dashboard of a cluster is called in the account."""
    return f"ParallelCluster-{cluster}{dashboard.suffix}"


def _dashboard(id_: str, content: dict[str, Any]) -> CloudWatchDashboard:
    widgets = tuple(_widget(widget) for widget in content["widgets"])
    return CloudWatchDashboard(id=id_, **{**_tuples(content), "widgets": widgets})


def _widget(content: dict[str, Any]) -> Widget:
    fields: dict[str, Any] = {
        key: tuple(CloudWatchMetric(**_tuples(metric)) for metric in content.get(key, ()))
        for key in ("metrics", "metrics_of_each_file_system")
    }
    fields["marks"] = tuple(Mark(**mark) for mark in content.get("marks", ()))
    if "y_axis" in content:
        fields["y_axis"] = YAxis(**content["y_axis"])
    if "instead" in content:
        fields["instead"] = _widget(content["instead"])
    return _checked(Widget(**{**_tuples(content), **fields}))


def _checked(widget: Widget) -> Widget:
    """Refuse what cannot be right. Raises ValueError: an error in our own data is a bug, which a test finds."""
    all_metrics = (*widget.metrics, *widget.metrics_of_each_file_system)
    wrong = [
        *([] if widget.kind in KINDS else ["kind"]),
        *([] if set(widget.needs).union(*(metric.needs for metric in all_metrics)) <= set(NEEDS) else ["needs"]),
        *([] if 0 < widget.width <= COLUMNS and widget.height > 0 else ["width or height"]),
        *([] if bool(widget.stream) == (widget.kind == "log") else ["stream"]),
        *([] if bool(all_metrics) != (widget.kind == "log") else ["metrics"]),
    ]
    if wrong:
        raise ValueError(f"widget {widget.id}: {', '.join(wrong)} cannot be so")
    return widget


def _tuples(content: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
