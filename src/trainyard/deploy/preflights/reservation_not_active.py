"""Reservations that are over, that failed, or that have not begun."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from trainyard.deploy.account_state.reservations import COMING, each_found, seconds
from trainyard.deploy.expired_capacity import expired_blocks, leavable
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.reservations import ReservationTarget
from trainyard.edge.aws import ec2
from trainyard.edge.aws.ec2 import Described
from trainyard.finding import Severity
from trainyard.launch.capacity import taken_back_before_end
from trainyard.rules import Problem

_SOON_S = 24 * 3600


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield reservations that give no instances now, and those that soon will not."""
    now = context.account.clock.now()
    for target, reservations in each_found(context):
        waits_until = now + context.waits_for_capacity_s
        problems = [
            problem for reservation in reservations for problem in _problems(target, reservation, now, waits_until)
        ]
        if len(problems) < len(reservations):  # a group gives instances as long as one of its reservations does
            problems = [problem._replace(severity="warning") for problem in problems]
        elif _has_successor(context, target):
            remedy = "take it out of the spec; until then its nodes are left out of the cluster"
            problems = [problem._replace(severity="warning", remedy=remedy) for problem in problems]
        yield from problems


def _has_successor(context: PreflightContext, target: ReservationTarget) -> bool:
    """Return whether the nodes of a Capacity Block that is over are left out, as their queue has others."""
    over = expired_blocks(context.spec, context.ask(ec2.capacity_reservations))
    group = target.launch.group
    return group is not None and leavable(context.spec, group, over)


def _problems(target: ReservationTarget, reservation: Described, now: float, waits_until: float) -> Iterator[Problem]:
    id_, state = reservation["CapacityReservationId"], reservation["State"]
    begins, ends = seconds(reservation.get("StartDate")), _end(reservation)
    name = f"{target.noun} {id_}" if id_ == target.id else f"reservation {id_} of {target.id}"
    if state not in ("active", *COMING):
        yield Problem(target.path, f"{name} is {state}", "choose another one, or other capacity")
    elif ends is not None and ends <= now:
        yield Problem(target.path, f"{name} gives no instances since {_date(ends)}", "choose another one")
    elif state in COMING or (begins is not None and begins > now):
        yield _not_begun(target, name, state, begins, is_awaited=begins is not None and now < begins <= waits_until)
    elif ends is not None and ends - now < _SOON_S:
        message = f"{name} gives instances only until {_date(ends)}"
        yield Problem(target.path, message, "extend it, or be ready to change the queue then", "warning")


def _not_begun(target: ReservationTarget, name: str, state: str, begins: float | None, *, is_awaited: bool) -> Problem:
    when = "" if begins is None else f" and begins at {_date(begins)}"
    if is_awaited:
        return Problem(target.path, f"{name} is {state}{when}", "the deployment waits for it", "info")
    if target.kind == "capacity_block":
        # ParallelCluster holds its nodes back until then.
        # https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html
        return Problem(target.path, f"{name} is {state}{when}", "its nodes come up by themselves then", "info")
    severity: Severity = "error" if target.launch.first_nodes else "warning"
    remedy = "deploy with --wait-for-capacity, or when it has begun, or write nodes: {min: 0, max: …} until then"
    return Problem(target.path, f"{name} is {state}{when}", remedy, severity)


def _end(reservation: Described) -> float | None:
    end = seconds(reservation.get("EndDate"))
    if end is not None and reservation.get("ReservationType") == "capacity-block":
        return end - taken_back_before_end(reservation.get("InstanceType", "")).total_seconds()
    return end


def _date(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation that is over or has not begun",
    rationale=(
        "Only an active reservation gives instances. Static nodes of one that has not begun fail to launch, the head "
        "node waits for them, and the cluster fails with it; an expired one breaks later updates too. A Capacity Block "
        "may begin later: ParallelCluster keeps its nodes waiting, and EC2 takes them back 30 minutes before its end."
    ),
    remedy="choose a reservation that is active",
    source="https://github.com/aws/aws-parallelcluster/issues/6870",
    permissions=("ec2:DescribeCapacityReservations", "resource-groups:ListGroupResources"),
    check=check,
)
