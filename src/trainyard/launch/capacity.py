"""Where instances come from: bought when they start, or reserved beforehand in one of four ways."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Literal, NamedTuple, cast

from trainyard.catalog.instances import find
from trainyard.spec.capacity import Reserved, capacity_kind
from trainyard.spec.cluster import Spec

CapacityKind = Literal["on-demand", "spot", "reservation", "reservation_group", "capacity_block"]
# Read 2026-11-23: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html; of UltraServers
# https://dev.classmethod.jp/articles/ec2-capacity-blocks-for-ml-instance-cb-vs-ultraserver-cb
_TAKEN_BACK, _ULTRASERVERS_TAKEN_BACK = timedelta(minutes=30), timedelta(minutes=60)


class CapacityTarget(NamedTuple):
    """What a launch targets."""

    kind: CapacityKind
    reservation: str | None = None
    """The id of the one reservation, or of the Capacity Block."""
    group_arn: str | None = None
    """The resource group of reservations that exists."""
    group_number: int | None = None
    """Which of the groups that are made for the cluster it is, counted from 1."""
    members: tuple[str, ...] = ()
    """The reservations of a group that is made."""

    @property
    def is_reserved(self) -> bool:
        """Whether the capacity was reserved beforehand."""
        return self.kind not in ("on-demand", "spot")

    @property
    def capacity_block(self) -> str | None:
        """The id of the Capacity Block."""
        return self.reservation if self.kind == "capacity_block" else None

    @property
    def reservations(self) -> tuple[str, ...]:
        """The ids that the spec names. What is in a resource group that exists, only that group knows."""
        return self.members if self.reservation is None else (self.reservation,)


def capacity_target(spec: Spec, capacity: str | Reserved) -> CapacityTarget:
    """Return what a capacity of the spec means."""
    kind = cast("CapacityKind", capacity_kind(capacity))
    if not isinstance(capacity, Reserved):
        return CapacityTarget(kind)
    if capacity.reservations is None:
        return CapacityTarget(kind, capacity.reservation or capacity.capacity_block, capacity.reservation_group)
    number = reservation_groups(spec).index(capacity.reservations) + 1
    return CapacityTarget(kind, group_number=number, members=capacity.reservations)


def reservation_groups(spec: Spec) -> list[tuple[str, ...]]:
    """Return the reservations of each group that is made, in the order of the spec.

    Nodes with the same reservations share a group.
    """
    capacities = (group.capacity for group in spec.node_groups())
    return list(
        dict.fromkeys(
            capacity.reservations for capacity in capacities if isinstance(capacity, Reserved) and capacity.reservations
        )
    )


def named_reservations(spec: Spec) -> tuple[str, ...]:
    """Return the capacity reservations that a spec names by their ids, each once."""
    return tuple(dict.fromkeys(_named(spec)))


def taken_back_before_end(instance_type: str) -> timedelta:
    """Return how long before the end of a Capacity Block its instances of a type have to be gone."""
    facts = find(instance_type)
    is_ultraserver = facts is not None and bool(facts.ultraserver_instances)
    return _ULTRASERVERS_TAKEN_BACK if is_ultraserver else _TAKEN_BACK


def _named(spec: Spec) -> Iterator[str]:
    for group in spec.node_groups():
        yield from capacity_target(spec, group.capacity).reservations
