"""Reservations in a zone where the nodes do not stand."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.reservations import each_found
from trainyard.deploy.account_state.subnets import zones_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import zone_path
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the zone or subnet of nodes that is not the reservation's."""
    for target, reservations in each_found(context):
        reserved = tuple(dict.fromkeys(reservation["AvailabilityZone"] for reservation in reservations))
        zones = zones_of(context, target.launch)
        if zones and not set(zones) & set(reserved):
            place = f"{target.launch.title} in {', '.join(zones)}"
            message = f"{target.noun} {target.id} is in {', '.join(reserved)}, and {place}"
            yield Problem(zone_path(context.spec, target.launch), message, f"choose {reserved[0]}, or a subnet there")
        elif not zones:
            message = f"{target.noun} {target.id} is in {', '.join(reserved)}, and nothing says where the nodes stand"
            remedy = f"write availability_zone: {reserved[0]}"
            yield Problem(zone_path(context.spec, target.launch), message, remedy, "warning")


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation in another zone",
    rationale=(
        "A reservation or Capacity Block lies in one availability zone, and only nodes in a subnet of that zone get "
        "its instances. The network and its file systems would be made in the wrong zone, and have to be made again."
    ),
    remedy="write the zone of the reservation, or choose a subnet in it",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    permissions=("ec2:DescribeCapacityReservations", "resource-groups:ListGroupResources", "ec2:DescribeSubnets"),
    check=check,
)
