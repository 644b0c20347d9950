"""An alarm on other alarms."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::CloudWatch::CompositeAlarm"
_NAMES = (
    *("ActionsEnabled", "ActionsSuppressor", "ActionsSuppressorExtensionPeriod", "ActionsSuppressorWaitPeriod"),
    *("AlarmActions", "AlarmDescription", "AlarmRule", "InsufficientDataActions", "OKActions"),
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    return _put(aws, wanted, wanted.properties.get("AlarmName", wanted.name))


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write it anew."""
    return _put(aws, wanted, made.id)


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("cloudwatch").delete_alarms(AlarmNames=[made.id])


def _put(aws: Aws, wanted: Wanted, name: str) -> Made:
    asked = {**picked(wanted.properties, *_NAMES), **with_tags(wanted)}
    aws.client("cloudwatch").put_composite_alarm(AlarmName=name, **asked)
    return Made(name, {"Arn": f"arn:aws:cloudwatch:{aws.region}:{aws.account_id}:alarm:{name}"})
