"""Capacity reservations, Capacity Blocks and groups of reservations that the account does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.reservations import reservations_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.reservations import ReservationTarget, reservation_targets
from trainyard.edge.aws import reservation_groups
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield reservations that are not there, and groups that cannot be launched into."""
    for target in reservation_targets(context.spec):
        if target.kind == "reservation_group":
            yield from _group(context, target)
        else:
            found_ids = {
                found_reservation["CapacityReservationId"] for found_reservation in reservations_of(context, target)
            }
            for index, id_ in enumerate(target.id.split(",")):
                if id_ not in found_ids:
                    path = (*target.path, index) if target.kind == "reservations" else target.path
                    message = f"account {context.account.id} has no {target.noun} {id_} in {context.spec.region}"
                    yield Problem(path, message)


def _group(context: PreflightContext, target: ReservationTarget) -> Iterator[Problem]:
    members = context.ask(reservation_groups.reservations_in, target.id)
    if members is None:
        yield Problem(target.path, f"there is no reservation group {target.id}")
    elif not members:
        remedy = "put reservations into it with `aws resource-groups group-resources`"
        yield Problem(target.path, f"reservation group {target.id} holds no capacity reservation", remedy)
    elif not context.ask(reservation_groups.is_reservation_pool, target.id):
        remedy = "make it anew with the configuration AWS::EC2::CapacityReservationPool"
        yield Problem(target.path, f"instances cannot be launched into {target.id}", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Reservation that does not exist",
    rationale=(
        "Nodes that target a reservation never start on other capacity. An id that is mistyped, of another region or "
        "of another account leaves a queue without nodes; ParallelCluster refuses a group that was not made for "
        "reservations."
    ),
    remedy="`aws ec2 describe-capacity-reservations` lists what there is, also what other accounts share",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-view.html",
    permissions=(
        "ec2:DescribeCapacityReservations",
        "resource-groups:ListGroupResources",
        "resource-groups:GetGroupConfiguration",
    ),
    check=check,
)
