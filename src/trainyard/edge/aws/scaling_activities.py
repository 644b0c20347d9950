"""What EC2 Auto Scaling tried and could not do. Asks only.

https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeScalingActivities.html
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, client

_MOST_ACTIVITIES = 50


class FailedLaunch(NamedTuple):
    """An attempt of Auto Scaling to start instances that failed."""

    group: str
    at: datetime
    why: str


def failed_launches_of(account: Account, group: str) -> tuple[FailedLaunch, ...]:
    """Return the last attempts of a group to start instances that failed, the newest first."""
    call = partial(
        client(account, "autoscaling").describe_scaling_activities,
        AutoScalingGroupName=group,
        MaxRecords=_MOST_ACTIVITIES,
    )
    found = answer(account, "autoscaling:DescribeScalingActivities", call)["Activities"]
    bad = [one for one in found if one.get("StatusCode") in ("Failed", "Cancelled")]
    return tuple(
        FailedLaunch(group, one["StartTime"], " ".join(f"{one.get('StatusMessage') or one.get('Description')}".split()))
        for one in bad
    )
