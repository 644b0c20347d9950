"""An alarm on a metric."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::CloudWatch::Alarm"
_NAMES = (
    *("ActionsEnabled", "AlarmActions", "AlarmDescription", "ComparisonOperator", "DatapointsToAlarm", "Dimensions"),
    *("EvaluateLowSampleCountPercentile", "EvaluationPeriods", "ExtendedStatistic", "InsufficientDataActions"),
    *("MetricName", "Metrics", "Namespace", "OKActions", "Period", "Statistic", "Threshold", "ThresholdMetricId"),
    *("TreatMissingData", "Unit"),
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
    aws.client("cloudwatch").put_metric_alarm(AlarmName=name, **picked(wanted.properties, *_NAMES), **with_tags(wanted))
    return Made(name, {"Arn": f"arn:aws:cloudwatch:{aws.region}:{aws.account_id}:alarm:{name}"})
