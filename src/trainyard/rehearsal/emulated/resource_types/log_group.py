"""A log group."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Logs::LogGroup"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and say how long it keeps what it gets."""
    logs = aws.client("logs")
    name = resource.properties.get("LogGroupName", resource.name)
    key = {"kmsKeyId": resource.properties["KmsKeyId"]} if "KmsKeyId" in resource.properties else {}
    logs.create_log_group(logGroupName=name, tags={tag["Key"]: tag["Value"] for tag in resource.tags()}, **key)
    _keep(aws, name, resource)
    arn = f"arn:aws:logs:{aws.region}:{aws.account_id}:log-group:{name}:*"
    return PhysicalResource(name, {"Arn": arn})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Say how long it keeps what it gets."""
    _keep(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with everything in it."""
    aws.client("logs").delete_log_group(logGroupName=physical.id)


def _keep(aws: Aws, name: str, resource: LogicalResource) -> None:
    for days in picked(resource.properties, "RetentionInDays").values():
        aws.client("logs").put_retention_policy(logGroupName=name, retentionInDays=days)
