"""The capacity reservations of a spec as the account has them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from trainyard.deploy.preflights import PreflightContext
from trainyard.deploy.requirements.reservations import ReservationTarget, reservation_targets
from trainyard.edge.aws import ec2, reservation_groups

# What will be there, but is not yet.
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
COMING = ("pending", "scheduled", "assessing", "delayed", "payment-pending")


def reservations_of(context: PreflightContext, target: ReservationTarget) -> tuple[ec2.Described, ...]:
    """Return the reservation, or those of the group that is there or to be made; none where there is no such thing."""
    reservations = context.ask(ec2.capacity_reservations)
    if target.kind != "reservation_group":
        return tuple(reservations[id_] for id_ in target.id.split(",") if id_ in reservations)
    members = context.ask(reservation_groups.reservations_in, target.id) or ()
    return tuple(reservations[id_] for id_ in members if id_ in reservations)


def each_found(context: PreflightContext) -> Iterator[tuple[ReservationTarget, tuple[ec2.Described, ...]]]:
    """Yield every reservation of the spec that exists, with what it is. Which do not is another preflight's matter."""
    for target in reservation_targets(context.spec):
        if reservations := reservations_of(context, target):
            yield target, reservations


def usable(reservations: tuple[ec2.Described, ...]) -> tuple[ec2.Described, ...]:
    """Return those that give instances now or will."""
    return tuple(reservation for reservation in reservations if reservation.get("State") in ("active", *COMING))


def seconds(moment: datetime | None) -> float | None:
    """Return seconds since 1970."""
    return None if moment is None else moment.timestamp()
