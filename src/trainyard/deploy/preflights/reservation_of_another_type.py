"""Reservations of an instance type that the nodes do not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.reservations import each_found
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield reservations of which none is for the type of the nodes."""
    for target, reservations in each_found(context):
        reserved = tuple(dict.fromkeys(reservation["InstanceType"] for reservation in reservations))
        for name in target.launch.instance_types:
            if name not in reserved:
                message = (
                    f"{target.noun} {target.id} is for {', '.join(reserved)}, and {target.launch.title} is of {name}"
                )
                yield Problem(target.path, message)


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation of another instance type",
    rationale=(
        "A reservation holds instances of one type, and no other type can be launched into it. ParallelCluster refuses "
        "the pair, for a group where none of its reservations has the type."
    ),
    remedy="write the instance type of the reservation, or choose another reservation",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    permissions=("ec2:DescribeCapacityReservations", "resource-groups:ListGroupResources"),
    check=check,
)
