"""Reservations for another operating system's licence, or for hardware of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster_images import official_image
from trainyard.deploy.account_state.images import own_images
from trainyard.deploy.account_state.reservations import each_found
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.launch.launch import Launch
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield reservations whose platform or tenancy instances of the queue cannot match."""
    for target, reservations in each_found(context):
        os_platform = _os_platform(context, target.launch)
        others = [
            reservation
            for reservation in reservations
            if os_platform is not None and reservation.get("InstancePlatform") != os_platform
        ]
        if len(others) == len(reservations):
            message = (
                f"{target.noun} {target.id} is for {others[0].get('InstancePlatform')}, and {target.launch.title} "
            )
            yield Problem(target.path, f"{message}boots {os_platform}", f"reserve capacity for {os_platform}")
        if all(reservation.get("Tenancy", "default") != "default" for reservation in reservations):
            yield Problem(target.path, f"{target.noun} {target.id} is for dedicated instances, which nodes are not")


def _os_platform(context: PreflightContext, launch: Launch) -> str | None:
    """Return the platform of the image that nodes boot, as EC2 bills it; None where nobody knows."""
    for used in own_images(context) if launch.image is not None else ():
        if used.id == launch.image and used.described is not None and used.described.get("PlatformDetails"):
            return str(used.described["PlatformDetails"])
    official = official_image(context.spec.image.os)
    return None if official is None else official.reservation_platform


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation for another platform",
    rationale=(
        "A reservation is for one platform, as EC2 bills it: Linux/UNIX, or Red Hat Enterprise Linux, which is "
        "another. Instances of any other platform cannot be launched into it, and ParallelCluster refuses the pair."
    ),
    remedy="reserve capacity for the platform of the image, or choose another operating system",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    permissions=("ec2:DescribeCapacityReservations", "resource-groups:ListGroupResources", "ec2:DescribeImages"),
    check=check,
)
