"""Reservations with fewer instances than the nodes that are to come from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.counts import count_text
from trainyard.deploy.account_state.instances import is_own, is_to_be_free
from trainyard.deploy.account_state.reservations import each_found, usable
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.reservations import ReservationTarget
from trainyard.edge.aws import ec2
from trainyard.edge.aws.ec2 import Described
from trainyard.finding import Severity
from trainyard.rules import Problem


class ReservationShare(NamedTuple):
    """The nodes that share a reservation, and what it is."""

    targets: list[ReservationTarget]
    reservations: tuple[Described, ...]


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the nodes with which a reservation, or a group of them, is exhausted."""
    for share in _shares(context):
        least = sum(target.launch.first_nodes for target in share.targets)
        most = sum(target.launch.max_nodes for target in share.targets)
        total = sum(_total(reservation) for reservation in usable(share.reservations))
        free = sum(_free(context, reservation) for reservation in usable(share.reservations))
        last = share.targets[-1]
        name, who = f"{last.noun} {last.id}", " and ".join(target.launch.title for target in share.targets)
        if usable(share.reservations) and most > total:
            message = f"{name} holds {count_text(total, 'instance')}, and {who} may grow to {most}"
            yield Problem(last.launch.paths.node_count, message, f"write {total} or fewer, or enlarge the reservation")
        elif usable(share.reservations) and most > free:
            needed = least if least > free else most
            message = f"{name} has {free} of {total} instances left, and {who} needs {needed}"
            severity: Severity = "error" if least > free else "warning"
            remedy = "free instances that others run in it, or write fewer nodes"
            yield Problem(last.launch.paths.node_count, message, remedy, severity)


def _shares(context: PreflightContext) -> Iterator[ReservationShare]:
    shares: dict[str, ReservationShare] = {}
    for target, reservations in each_found(context):
        types = target.launch.instance_types
        fitting = tuple(reservation for reservation in reservations if reservation["InstanceType"] in types)
        if fitting:  # that none is of their type is another preflight's matter
            shares.setdefault(f"{target.id} {types}", ReservationShare([], fitting)).targets.append(target)
    yield from shares.values()


def _total(reservation: Described) -> int:
    return int(reservation.get("TotalInstanceCount", 0))


def _free(context: PreflightContext, reservation: Described) -> int:
    """Return how many instances are left for this cluster: also those that it, or one that it replaces, runs in it."""
    if reservation["State"] != "active":
        return _total(reservation)
    id_ = reservation["CapacityReservationId"]
    mine: int = sum(
        instance.get("CapacityReservationId") == id_ and (is_own(context, instance) or is_to_be_free(context, instance))
        for instance in context.ask(ec2.used_instances)
    )
    return int(reservation.get("AvailableInstanceCount", 0)) + mine


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation with too few instances",
    rationale=(
        "Nodes that target a reservation start only in it. Static nodes beyond what is left fail to launch, and the "
        "head node waits for them; ParallelCluster refuses a queue that may grow beyond the whole reservation."
    ),
    remedy="write fewer nodes, or enlarge the reservation with `aws ec2 modify-capacity-reservation`",
    source="https://github.com/aws/aws-parallelcluster/issues/4061",
    permissions=("ec2:DescribeCapacityReservations", "resource-groups:ListGroupResources", "ec2:DescribeInstances"),
    check=check,
)
