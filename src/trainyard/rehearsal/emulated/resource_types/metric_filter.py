"""A metric that is counted from a log."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Logs::MetricFilter"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    name = resource.properties.get("FilterName", resource.name)
    _put(aws, name, resource)
    return PhysicalResource(name)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it."""
    _put(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    group = picked(physical.logical.properties if physical.logical else {}, "LogGroupName")
    aws.client("logs").delete_metric_filter(filterName=physical.id, logGroupName=group["LogGroupName"])


def _put(aws: Aws, name: str, resource: LogicalResource) -> None:
    transformations = [_small(one) for one in resource.properties["MetricTransformations"]]
    aws.client("logs").put_metric_filter(
        filterName=name,
        logGroupName=resource.properties["LogGroupName"],
        filterPattern=resource.properties["FilterPattern"],
        metricTransformations=transformations,
    )


def _small(transformation: dict[str, object]) -> dict[str, object]:
    """Return it as the API writes it: MetricName is metricName there, and the dimensions are a map."""
    small = {name[0].lower() + name[1:]: value for name, value in transformation.items()}
    if isinstance(dimensions := small.get("dimensions"), list):
        small["dimensions"] = {dimension["Key"]: dimension["Value"] for dimension in dimensions}
    return small
