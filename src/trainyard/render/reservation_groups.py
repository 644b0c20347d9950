"""Resource groups of capacity reservations that are made for a cluster.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

from trainyard.launch.capacity import CapacityTarget
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# What a group needs for instances to be launched into it, and for ParallelCluster to accept it.
CONFIGURATION = [
    {"Type": "AWS::EC2::CapacityReservationPool"},
    {
        "Type": "AWS::ResourceGroups::Generic",
        "Parameters": [{"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}],
    },
]


def group_name(spec: Spec, number: int) -> str:
    """Return the name of a group, counted from 1."""
    return f"{spec.name}-reservations-{number}"


def group_arn(target: CapacityTarget, ids: Ids) -> str | None:
    """Return the group of reservations that nodes target, made or existing; None where they target none."""
    if target.group_number is not None:
        return ids.of("ReservationGroupArn", number=target.group_number)
    return target.group_arn
