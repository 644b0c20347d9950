"""Capacity Blocks that are written as reservations, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.reservations import each_found
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield ids under the wrong key."""
    for target, (reservation, *_) in each_found(context):
        is_block = reservation.get("ReservationType") == "capacity-block"
        if target.kind == "capacity_block" and not is_block:
            yield Problem(target.path, f"{target.id} is no Capacity Block", f"write reservation: {target.id}")
        if target.kind in ("reservation", "reservations") and is_block:
            id_ = reservation["CapacityReservationId"]
            yield Problem(target.path, f"{id_} is a Capacity Block", f"write capacity_block: {id_}")


PREFLIGHT = Preflight(
    severity="error",
    title="Capacity Block for a reservation, or the other way round",
    rationale=(
        "Both have ids that begin with cr-, and both are launched into in their own way. ParallelCluster refuses a "
        "reservation as a Capacity Block, and EC2 refuses to launch into a Capacity Block as if it were a reservation."
    ),
    remedy="write the id under the key of its kind",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    permissions=("ec2:DescribeCapacityReservations",),
    check=check,
)
