"""Amazon Managed Prometheus: the state of a workspace, of its rules and its Alertmanager, and what it discards.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, answer_or_none, client, pages

_MISSING = {"ResourceNotFoundException"}


class State(NamedTuple):
    """How something is, as AWS words it."""

    code: str
    reason: str = ""

    def __str__(self) -> str:
        """Return both on one line."""
        return f"{self.code}: {' '.join(self.reason.split())}" if self.reason else self.code


def workspace_state(account: Account, id_: str) -> State:
    """Return whether a workspace is ACTIVE; MISSING where there is none."""

    def ask() -> State:
        return _state(client(account, "amp").describe_workspace(workspaceId=id_)["workspace"])

    return answer_or_none(account, "aps:DescribeWorkspace", ask, _MISSING) or State("MISSING")


def rule_namespaces(account: Account, id_: str) -> dict[str, State]:
    """Return the documents of rules of a workspace, by their names."""

    def ask() -> dict[str, State]:
        listed = client(account, "amp").get_paginator("list_rule_groups_namespaces").paginate(workspaceId=id_)
        return {one["name"]: _state(one) for page in listed for one in page["ruleGroupsNamespaces"]}

    return answer(account, "aps:ListRuleGroupsNamespaces", ask)


def alertmanager_state(account: Account, id_: str) -> State | None:
    """Return how the definition of a workspace's Alertmanager is, None where it has none."""

    def ask() -> State:
        described = client(account, "amp").describe_alert_manager_definition(workspaceId=id_)
        return _state(described["alertManagerDefinition"])

    return answer_or_none(account, "aps:DescribeAlertManagerDefinition", ask, _MISSING)


def discarded_samples(account: Account, id_: str, within_s: int) -> dict[str, float]:
    """Return how many samples a workspace has discarded lately, by the reason; a metric that is missing is 0.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-CW-usage-metrics.html
    """
    names = {"Namespace": "AWS/Prometheus", "MetricName": "DiscardedSamples"}
    listed = pages(account, "cloudwatch:ListMetrics", "list_metrics", "Metrics", **names)
    of_workspace = [one["Dimensions"] for one in listed if id_ in {each["Value"] for each in one["Dimensions"]}]
    counts = ((_reason(each), _sum(account, {**names, "Dimensions": each}, within_s)) for each in of_workspace)
    return {reason: count for reason, count in counts if count > 0}


def _sum(account: Account, metric: Mapping[str, Any], within_s: int) -> float:
    until = datetime.fromtimestamp(account.clock.now(), UTC)
    times = {"StartTime": until - timedelta(seconds=within_s), "EndTime": until, "Period": 60}

    def ask() -> float:
        found = client(account, "cloudwatch").get_metric_statistics(**metric, **times, Statistics=["Sum"])
        return float(sum(one["Sum"] for one in found["Datapoints"]))

    return answer(account, "cloudwatch:GetMetricStatistics", ask)


def _reason(dimensions: list[Mapping[str, str]]) -> str:
    return next((one["Value"] for one in dimensions if one["Name"] == "Reason"), "unknown")


def _state(described: Mapping[str, Any]) -> State:
    status = described["status"]
    return State(status["statusCode"], status.get("statusReason", ""))
