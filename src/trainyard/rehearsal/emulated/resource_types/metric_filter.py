"""A metric that is counted from a log."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Logs::MetricFilter"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    name = wanted.properties.get("FilterName", wanted.name)
    _put(aws, name, wanted)
    return Made(name)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change it."""
    _put(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    group = picked(made.wanted.properties if made.wanted else {}, "LogGroupName")
    aws.client("logs").delete_metric_filter(filterName=made.id, logGroupName=group["LogGroupName"])


def _put(aws: Aws, name: str, wanted: Wanted) -> None:
    transformations = [_small(one) for one in wanted.properties["MetricTransformations"]]
    aws.client("logs").put_metric_filter(
        filterName=name,
        logGroupName=wanted.properties["LogGroupName"],
        filterPattern=wanted.properties["FilterPattern"],
        metricTransformations=transformations,
    )


def _small(transformation: dict[str, object]) -> dict[str, object]:
    """Return it as the API writes it: MetricName is metricName there, and the dimensions are a map."""
    small = {name[0].lower() + name[1:]: value for name, value in transformation.items()}
    if isinstance(dimensions := small.get("dimensions"), list):
        small["dimensions"] = {one["Key"]: one["Value"] for one in dimensions}
    return small
