"""Elastic Load Balancing: whether targets answer. Asks only."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, client


class TargetHealth(NamedTuple):
    """How a load balancer finds one of its targets."""

    state: str
    """healthy, unhealthy, initial, unused, draining or unavailable."""
    reason: str
    """Why it is not healthy, in the words of AWS; empty where it is."""


def target_healths(account: Account, group_arn: str) -> tuple[TargetHealth, ...]:
    """Return how the targets of a group are.

    https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetHealth.html
    """

    def ask() -> tuple[TargetHealth, ...]:
        described = client(account, "elbv2").describe_target_health(TargetGroupArn=group_arn)
        healths = (one["TargetHealth"] for one in described["TargetHealthDescriptions"])
        return tuple(TargetHealth(one["State"], one.get("Description") or one.get("Reason") or "") for one in healths)

    return answer(account, "elasticloadbalancing:DescribeTargetHealth", ask)
