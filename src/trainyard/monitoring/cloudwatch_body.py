"""The CloudWatch dashboards of a cluster, as bodies for PutDashboard.

Below CloudWatch's limits by far: 500 widgets, and 500 metrics in one of them, of which a search returns no more.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from trainyard.monitoring.cloudwatch_cluster import (
    FsxFileSystem,
    features_of_cluster,
    file_system_key,
    fsx_file_systems,
    names,
)
from trainyard.monitoring.cloudwatch_dashboard import (
    COLUMNS,
    OF_CLUSTER,
    OF_SETTINGS,
    CloudWatchDashboard,
    CloudWatchMetric,
    Widget,
    cloudwatch_dashboards,
    dashboard_name,
)
from trainyard.monitoring.cloudwatch_mark import mark_without_digest, with_mark
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

_HEADING_HEIGHT = 4
_NOTE_HEIGHT = 3
# The tag that ParallelCluster puts on every instance of a cluster.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_CLUSTER_TAG = "parallelcluster:cluster-name"
# What stands for something else in a text, as `string.Template` has it, which takes longer to import than to use.
_NAME = re.compile(r"\$(\$|\w+)")
# How many log events a widget lists.
_MOST_EVENTS = 100


class _Box(NamedTuple):
    """A widget before it has its place."""

    type: str
    width: int
    height: int
    properties: dict[str, Any]


def cloudwatch_bodies(spec: Spec, ids: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the bodies of a cluster's dashboards by their names, none where the spec wants none.

    ``known`` are the ids of ``cloudwatch_cluster.needed_ids``, under the names that `render/stand_ins.py` gives them.
    """
    if not wants_dashboards(spec):
        return {}
    file_systems = [
        (system, system.id or ids[file_system_key(system.kind, system.number)]) for system in fsx_file_systems(spec)
    ]
    filled = WidgetContext(features_of_cluster(spec), names(spec, ids), file_systems)
    return {dashboard_name(spec.name, dashboard): _body(spec, dashboard, filled) for dashboard in dashboards_of(spec)}


def wants_dashboards(spec: Spec) -> bool:
    """Return whether a spec has dashboards in CloudWatch: a cluster of ParallelCluster that asks for them."""
    return spec.monitoring.dashboard and platform_of(spec).made_by_parallelcluster


def dashboards_of(spec: Spec) -> tuple[CloudWatchDashboard, ...]:
    """Return the dashboards that a cluster can fill."""
    has = features_of_cluster(spec)
    return tuple(
        cloudwatch_dashboard
        for cloudwatch_dashboard in cloudwatch_dashboards()
        if has.issuperset(cloudwatch_dashboard.needs)
    )


def _body(spec: Spec, dashboard: CloudWatchDashboard, filled: WidgetContext) -> dict[str, Any]:
    boxes = [_heading(spec, dashboard), *_boxes(dashboard.widgets, filled)]
    return with_mark({"widgets": list(_placed(boxes))})


def _heading(spec: Spec, dashboard: CloudWatchDashboard) -> _Box:
    lines = [
        f"# {spec.name}",
        f"{dashboard.description}",
        "trainyard made this. What people change here stays: trainyard does not overwrite it."
        + (
            " Lists of log events read the log group whenever they load, which CloudWatch charges."
            * spec.monitoring.logs
        ),
        f"`{mark_without_digest(spec.region, spec.name)}`",
    ]
    return _text(lines, _HEADING_HEIGHT)


def _boxes(widgets: Iterable[Widget], filled: WidgetContext) -> Iterator[_Box]:
    """Yield what can be shown, and one text for those next to each other that lack the same setting."""
    shown = [widget_shown for widget in widgets if (widget_shown := _fitting_widget(widget, filled.given)) is not None]
    for lacking, some in groupby(shown, key=lambda widget: _lacking(widget, filled.given)):
        if lacking:
            yield _note(list(some), lacking)
        else:
            yield from (_box(widget, filled) for widget in some)


def _fitting_widget(widget: Widget, has: frozenset[str]) -> Widget | None:
    """Return the widget or what stands in its place; None where the cluster has nothing that it could show."""
    if any(need in OF_CLUSTER and need not in has for need in widget.needs):
        return None
    return widget.instead if _lacking(widget, has) and widget.instead is not None else widget


def _lacking(widget: Widget, has: frozenset[str]) -> tuple[str, ...]:
    return tuple(need for need in widget.needs if need in OF_SETTINGS and need not in has)


def _note(widgets: list[Widget], lacking: tuple[str, ...]) -> _Box:
    what = ", ".join(dict.fromkeys(widget.shows for widget in widgets))
    settings = " and ".join(OF_SETTINGS[setting] for setting in lacking)
    return _text([f"### Not measured: {what}", f"The spec of the cluster needs {settings} for it."], _NOTE_HEIGHT)


def _text(lines: list[str], height: int) -> _Box:
    return _Box("text", COLUMNS, height, {"markdown": "\n\n".join(lines)})


def _box(widget: Widget, filled: WidgetContext) -> _Box:
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


class WidgetContext:
    """What a cluster has, and what the $names in its widgets stand for."""

    def __init__(
        self, features: frozenset[str], names: Mapping[str, str], file_systems: Iterable[tuple[FsxFileSystem, str]]
    ) -> None:
        """Take each file system with its id."""
        self.given, self.names, self._file_systems = features, names, tuple(file_systems)

    def properties(self, widget: Widget) -> dict[str, Any]:
        """Return the properties of a widget that the cluster can fill."""
        by_kind = {"graph": self._graph, "number": self._number, "log": self._log, "explorer": self._explorer}
        return {"title": self._text(widget.title), "region": self.names["region"], **by_kind[widget.kind](widget)}

    def _graph(self, widget: Widget) -> dict[str, Any]:
        axis = widget.y_axis
        ends = {} if axis is None else {"label": axis.label, "min": axis.min, "max": axis.max, "showUnits": False}
        left = {key: value for key, value in ends.items() if value is not None}
        lines: list[dict[str, Any]] = [{"value": mark.value, "label": mark.label} for mark in widget.marks]
        lines += self._bought() if widget.bought else []
        return {
            "view": "timeSeries",
            "stacked": False,
            "metrics": list(self._metrics(widget)),
            **({"yAxis": {"left": left}} if left else {}),
            **({"annotations": {"horizontal": lines}} if lines else {}),
        }

    def _bought(self) -> list[dict[str, Any]]:
        bought = {file_system.mount: file_system.bought_mb_s for file_system, _ in self._file_systems}
        return [
            {"value": mb_s, "label": f"{mount} bought: {mb_s:,.0f} MB/s"}
            for mount, mb_s in bought.items()
            if mb_s is not None
        ]

    def _number(self, widget: Widget) -> dict[str, Any]:
        return {"view": "singleValue", "sparkline": True, "metrics": list(self._metrics(widget))}

    def _log(self, widget: Widget) -> dict[str, Any]:
        stream = widget.stream if re.fullmatch(r"[\w-]+", widget.stream) else f"({widget.stream})"
        lines = [
            f"SOURCE '{self.names['log_group']}'",
            "fields @timestamp, @logStream, @message",
            f"filter @logStream like /\\.{stream}$/",
            *([f"filter {widget.filter}"] if widget.filter else []),
            "sort @timestamp desc",
            f"limit {_MOST_EVENTS}",
        ]
        return {"view": "table", "query": " | ".join(lines)}

    def _explorer(self, widget: Widget) -> dict[str, Any]:
        """Return graphs of all instances that have the tag of the cluster, one for each metric."""
        instance = "AWS::EC2::Instance"
        metrics = [
            {"metricName": metric.name, "resourceType": instance, "stat": metric.stat} for metric in widget.metrics
        ]
        options = {"legend": {"position": "bottom"}, "view": "timeSeries", "stacked": False, "rowsPerPage": 1}
        return {
            "metrics": metrics,
            "labels": [{"key": _CLUSTER_TAG, "value": self.names["cluster"]}],
            "period": int(self.names["ec2_period_s"]),
            "splitBy": "",
            "widgetOptions": {**options, "widgetsPerRow": len(metrics)},
        }

    def _metrics(self, widget: Widget) -> Iterator[list[Any]]:
        for metric in widget.metrics:
            if self.given.issuperset(metric.needs):
                yield self._metric(metric, {})
        for number, (file_system, id_) in enumerate(self._file_systems, 1):
            more = {"file_system": id_, "mount": file_system.mount, "number": str(number)}
            yield from (self._metric(metric, more) for metric in widget.metrics_of_each_file_system)

    def _metric(self, metric: CloudWatchMetric, more: Mapping[str, str]) -> list[Any]:
        expression = self._expression(metric, more)
        options: dict[str, Any] = {
            "expression": expression,
            "stat": "" if expression else metric.stat,
            "period": int(self._text(metric.period_s)),
            "label": self._text(metric.label, more),
            "id": self._text(metric.id, more),
            "visible": "" if not metric.hidden else False,
        }
        named = [] if expression else [self._text(metric.namespace, more), metric.name, *self._dimensions(metric, more)]
        return [*named, {key: value for key, value in options.items() if value != ""}]

    def _expression(self, metric: CloudWatchMetric, more: Mapping[str, str]) -> str:
        """Return the mathematics of a metric, nothing where it is a metric of its own.

        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
        """
        if not metric.search:
            return self._text(metric.expression, more)
        schema = self._text(metric.search, more)
        period_s = self._text(metric.period_s)
        search = f"SEARCH('{{{schema}}} MetricName=\"{metric.name}\"', '{metric.stat}', {period_s})"
        return self._text(metric.around, more).replace("SEARCH", search)

    def _dimensions(self, metric: CloudWatchMetric, more: Mapping[str, str]) -> Iterator[str]:
        for name, value in metric.dimensions.items():
            yield from (name, self._text(value, more))

    def _text(self, text: str, more: Mapping[str, str] | None = None) -> str:
        if "$" not in text:
            return text
        names = {**self.names, **(more or {}), "$": "$"}
        return _NAME.sub(lambda match: names[match[1]], text)
