"""CloudWatch Logs: groups and the metrics that filters count in them."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    written_properties,
)


def _create_log_group(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and say how long it keeps what it gets."""
    logs = aws.client("logs")
    name = resource.properties.get("LogGroupName", resource.name)
    key = {"kmsKeyId": resource.properties["KmsKeyId"]} if "KmsKeyId" in resource.properties else {}
    logs.create_log_group(logGroupName=name, tags={tag["Key"]: tag["Value"] for tag in resource.tags()}, **key)
    _keep(aws, name, resource)
    arn = f"arn:aws:logs:{aws.region}:{aws.account_id}:log-group:{name}:*"
    return PhysicalResource(name, {"Arn": arn})


def _update_log_group(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Say how long it keeps what it gets."""
    _keep(aws, physical.id, resource)
    return physical


def _delete_log_group(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with everything in it."""
    aws.client("logs").delete_log_group(logGroupName=physical.id)


def _read_log_group(aws: Aws, physical: PhysicalResource) -> Mapping[str, int] | None:
    listed = aws.client("logs").describe_log_groups(logGroupNamePrefix=physical.id)["logGroups"]
    described = next((group for group in listed if group["logGroupName"] == physical.id), None)
    return None if described is None else {"RetentionInDays": described.get("retentionInDays", 0)}


def _keep(aws: Aws, name: str, resource: LogicalResource) -> None:
    for days in written_properties(resource.properties, "RetentionInDays").values():
        aws.client("logs").put_retention_policy(logGroupName=name, retentionInDays=days)


def _create_metric_filter(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    name = resource.properties.get("FilterName", resource.name)
    _put(aws, name, resource)
    return PhysicalResource(name)


def _update_metric_filter(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    _put(aws, physical.id, resource)
    return physical


def _delete_metric_filter(aws: Aws, physical: PhysicalResource) -> None:
    group = written_properties(physical.logical.properties if physical.logical else {}, "LogGroupName")
    aws.client("logs").delete_metric_filter(filterName=physical.id, logGroupName=group["LogGroupName"])


def _put(aws: Aws, name: str, resource: LogicalResource) -> None:
    transformations = [_small(transformation) for transformation in resource.properties["MetricTransformations"]]
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


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::Logs::LogGroup": ResourceType(_create_log_group, _delete_log_group, _update_log_group, read=_read_log_group),
    "AWS::Logs::MetricFilter": ResourceType(_create_metric_filter, _delete_metric_filter, _update_metric_filter),
}
