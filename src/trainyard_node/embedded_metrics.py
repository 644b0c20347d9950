"""Metrics as lines in CloudWatch's embedded metric format: a log event that CloudWatch makes metrics of.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
Writing a log takes no right to publish metrics, and the agent sends it as it sends any other log.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

# Of the specification, above. With names as short as CloudWatch has them, this many are always below 1 MB, which is the
# most that an event may have.
MOST_METRICS = 100
MOST_VALUES = 100
MOST_DIMENSIONS = 30
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html
_LONGEST_DIMENSION = 1024
_NOT_ALLOWED = re.compile(r"[^\x20-\x7e]")


class MetricValues(NamedTuple):
    """A metric with what was measured since the last time."""

    name: str
    unit: str
    """One of CloudWatch's: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html"""
    values: tuple[float, ...]


class MetricBatch(NamedTuple):
    """Metrics with the same dimensions."""

    namespace: str
    dimensions: Mapping[str, str]
    """Such as InstanceId. None at all is a metric of the whole cluster."""
    metrics: Sequence[MetricValues]


def lines(batch: MetricBatch, at: datetime) -> Iterator[str]:
    """Yield log events, each within the limits of the format. What is no number, such as NaN, is left out."""
    finite = [metric._replace(values=tuple(filter(math.isfinite, metric.values))) for metric in batch.metrics]
    most = max((len(metric.values) for metric in finite), default=0)
    for first in range(0, most, MOST_VALUES):
        cut = [metric._replace(values=metric.values[first : first + MOST_VALUES]) for metric in finite]
        some = [metric for metric in cut if metric.values]
        for start in range(0, len(some), MOST_METRICS):
            yield _event(batch, some[start : start + MOST_METRICS], at)


def _event(batch: MetricBatch, metrics: Sequence[MetricValues], at: datetime) -> str:
    dimensions = {name: _dimension(value) for name, value in batch.dimensions.items()}
    if len(dimensions) > MOST_DIMENSIONS:
        raise ValueError(f"{len(dimensions)} dimensions, and CloudWatch takes {MOST_DIMENSIONS}")
    directive: dict[str, Any] = {
        "Namespace": batch.namespace,
        # One set, which is empty for a metric of the cluster: a list without a set would be no metric at all.
        "Dimensions": [list(dimensions)],
        "Metrics": [{"Name": metric.name, "Unit": metric.unit} for metric in metrics],
    }
    values = {metric.name: metric.values[0] if len(metric.values) == 1 else metric.values for metric in metrics}
    head = {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": [directive]}
    return json.dumps({"_aws": head, **dimensions, **values}, separators=(",", ":"), allow_nan=False)


def _dimension(value: str) -> str:
    """Return a value that CloudWatch takes: printable ASCII that does not begin with a colon, and never nothing."""
    clean = _NOT_ALLOWED.sub("_", value.strip()).lstrip(":")[:_LONGEST_DIMENSION]
    return clean or "unknown"
