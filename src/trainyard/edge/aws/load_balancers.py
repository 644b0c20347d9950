"""Elastic Load Balancing: whether targets answer. Asks only."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call


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
    answer = call(account, "elbv2", "describe_target_health", TargetGroupArn=group_arn)
    healths = [description["TargetHealth"] for description in answer["TargetHealthDescriptions"]]
    return tuple(
        TargetHealth(health["State"], health.get("Description") or health.get("Reason") or "") for health in healths
    )
