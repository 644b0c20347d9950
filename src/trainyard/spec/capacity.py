"""Where a queue's instances come from."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import ByShape, NotEmpty
from trainyard.record import Record
from trainyard.spec.text import CapacityReservationId, ReservationGroupArn


class Reserved(Record):
    """Capacity that was reserved beforehand."""

    one_of = (("reservation", "reservations", "reservation_group", "capacity_block"),)

    reservation: CapacityReservationId | None = None
    """An On-Demand Capacity Reservation (ODCR), targeted by id."""
    reservations: Annotated[tuple[CapacityReservationId, ...], NotEmpty("at least one reservation")] | None = None
    """Several reservations, in any zones of the queue. A resource group of them is made for the cluster."""
    reservation_group: ReservationGroupArn | None = None
    """A resource group of several reservations that exists."""
    capacity_block: CapacityReservationId | None = None
    """A Capacity Block for ML: bought for a period, in one zone. Its instances go 30 minutes before its end."""

    @property
    def key(self) -> str:
        """Return the one key that was written."""
        return next(name for name in self.one_of[0] if getattr(self, name) is not None)

    @property
    def kind(self) -> str:
        """Return reservation, reservation_group or capacity_block: several reservations are a group to be made."""
        return "reservation_group" if self.key == "reservations" else self.key


Capacity = Annotated[
    str | Reserved,
    ByShape(
        "on-demand, spot, or one of {reservation: cr-…}, {reservations: [cr-…, cr-…]}, {reservation_group: arn:…}, "
        "{capacity_block: cr-…}",
        scalar=Literal["on-demand", "spot"],
        mapping=Reserved,
    ),
]


def capacity_kind(capacity: str | Reserved) -> str:
    """Return on-demand, spot, reservation, reservation_group or capacity_block."""
    return capacity if isinstance(capacity, str) else capacity.kind
