"""Resource groups of capacity reservations that are made for a cluster.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec

# What a group needs for instances to be launched into it, and for ParallelCluster to accept it.
CONFIGURATION = [
    {"Type": "AWS::EC2::CapacityReservationPool"},
    {
        "Type": "AWS::ResourceGroups::Generic",
        "Parameters": [{"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}],
    },
]


def groups_to_make(spec: Spec) -> list[tuple[str, ...]]:
    """Return the reservations of each group, in the order of the spec; nodes with the same ones share a group."""
    capacities = [group.capacity for group in spec.node_groups()]
    sets = [one.reservations for one in capacities if isinstance(one, Reserved) and one.reservations is not None]
    return list(dict.fromkeys(sets))


def group_name(spec: Spec, number: int) -> str:
    """Return the name of a group, counted from 1."""
    return f"{spec.name}-reservations-{number}"
