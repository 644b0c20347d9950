"""Widgets as CloudWatch takes them.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from string import Template
from typing import Any

from trainyard.monitoring.cloudwatch_cluster import FsxFileSystem
from trainyard.monitoring.cloudwatch_dashboard import CloudWatchMetric, Widget

# The tag that ParallelCluster puts on every instance of a cluster.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_CLUSTER_TAG = "parallelcluster:cluster-name"
# How many log events a widget lists.
_MOST_EVENTS = 100


class Filled:
    """What a cluster has, and what the $names in its widgets stand for."""

    def __init__(
        self, given: frozenset[str], names: Mapping[str, str], file_systems: Iterable[tuple[FsxFileSystem, str]]
    ) -> None:
        """Take each file system with its id."""
        self.given, self.names, self._file_systems = given, names, tuple(file_systems)

    def properties(self, widget: Widget) -> dict[str, Any]:
        """Return the properties of a widget that the cluster can fill."""
        made = {"graph": self._graph, "number": self._number, "log": self._log, "explorer": self._explorer}
        return {"title": self._text(widget.title), "region": self.names["region"], **made[widget.kind](widget)}

    def _graph(self, widget: Widget) -> dict[str, Any]:
        axis = widget.y_axis
        ends = {} if axis is None else {"label": axis.label, "min": axis.min, "max": axis.max, "showUnits": False}
        left = {key: value for key, value in ends.items() if value is not None}
        lines = [{"value": mark.value, "label": mark.label} for mark in widget.marks]
        return {
            "view": "timeSeries",
            "stacked": False,
            "metrics": list(self._metrics(widget)),
            **({"yAxis": {"left": left}} if left else {}),
            **({"annotations": {"horizontal": lines}} if lines else {}),
        }

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
            yield from (self._metric(one, more) for one in widget.metrics_of_each_file_system)

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
        return Template(text).substitute(self.names, **(more or {}))
