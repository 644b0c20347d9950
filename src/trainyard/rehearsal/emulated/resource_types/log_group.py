"""A log group."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Logs::LogGroup"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and say how long it keeps what it gets."""
    logs = aws.client("logs")
    name = wanted.properties.get("LogGroupName", wanted.name)
    key = {"kmsKeyId": wanted.properties["KmsKeyId"]} if "KmsKeyId" in wanted.properties else {}
    logs.create_log_group(logGroupName=name, tags={tag["Key"]: tag["Value"] for tag in wanted.tags()}, **key)
    _keep(aws, name, wanted)
    arn = f"arn:aws:logs:{aws.region}:{aws.account_id}:log-group:{name}:*"
    return Made(name, {"Arn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Say how long it keeps what it gets."""
    _keep(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it with everything in it."""
    aws.client("logs").delete_log_group(logGroupName=made.id)


def _keep(aws: Aws, name: str, wanted: Wanted) -> None:
    for days in picked(wanted.properties, "RetentionInDays").values():
        aws.client("logs").put_retention_policy(logGroupName=name, retentionInDays=days)
