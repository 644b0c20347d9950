"""The capacity reservations and Capacity Blocks of a cluster's queues: their state, their use, and their end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import capacity_reservations
from trainyard.edge.aws.reservation_groups import reservations_in
from trainyard.launch.capacity import taken_back_before_end

MISSING = "MISSING"


class Reservation(NamedTuple):
    """A reservation that queues name."""

    id: str
    queues: tuple[str, ...]
    kind: str
    """reservation or capacity-block."""
    state: str
    """active where it can be used; MISSING where the account has none of this id."""
    instance_type: str
    zone: str
    total: int
    used: int
    starts: datetime | None
    ends: datetime | None
    """None where it has no end."""

    @property
    def gone_by(self) -> datetime | None:
        """When its instances begin to go: of a Capacity Block 30 minutes before its end, of UltraServers 60.

        None where they stay.
        """
        if self.ends is None or self.kind != "capacity-block":
            return self.ends
        return self.ends - taken_back_before_end(self.instance_type)


def reservations(account: Account, reserving: Iterable[tuple[str, str]]) -> tuple[Reservation, ...]:
    """Return the reservations that queues name, by themselves or in resource groups of them.

    ``reserving`` are names of queues, each with the id of a reservation or the ARN of a group of reservations.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    queues: dict[str, list[str]] = {}
    for queue, reservation in reserving:
        for id_ in _ids(account, reservation):
            queues.setdefault(id_, []).append(queue)
    if not queues:
        return ()
    by_id = capacity_reservations(account)
    return tuple(_described(id_, tuple(dict.fromkeys(names)), by_id.get(id_)) for id_, names in queues.items())


def _ids(account: Account, reservation: str) -> tuple[str, ...]:
    return (reservations_in(account, reservation) or ()) if reservation.startswith("arn:") else (reservation,)


def _described(id_: str, queues: tuple[str, ...], reservation: Mapping[str, Any] | None) -> Reservation:
    if reservation is None:
        return Reservation(id_, queues, "reservation", MISSING, "", "", 0, 0, None, None)
    total = reservation.get("TotalInstanceCount", 0)
    return Reservation(
        id_,
        queues,
        "capacity-block" if reservation.get("ReservationType") == "capacity-block" else "reservation",
        reservation["State"],
        reservation.get("InstanceType", ""),
        reservation.get("AvailabilityZone", ""),
        total,
        total - reservation.get("AvailableInstanceCount", total),
        reservation.get("StartDate"),
        reservation.get("EndDate"),
    )
