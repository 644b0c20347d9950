"""Capacity reservations, Capacity Blocks and groups of reservations that the account does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.reservations import found_reservations
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.reservations import WantedReservation, wanted_reservations
from trainyard.edge.aws import reservation_groups
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield reservations that are not there, and groups that cannot be launched into."""
    for wanted in wanted_reservations(context.spec):
        if wanted.kind == "reservation_group":
            yield from _group(context, wanted)
        else:
            found = {one["CapacityReservationId"] for one in found_reservations(context, wanted)}
            for index, id_ in enumerate(wanted.id.split(",")):
                if id_ not in found:
                    path = (*wanted.path, index) if wanted.kind == "reservations" else wanted.path
                    message = f"account {context.account.id} has no {wanted.noun} {id_} in {context.spec.region}"
                    yield Problem(path, message)


def _group(context: PreflightContext, wanted: WantedReservation) -> Iterator[Problem]:
    members = context.ask(reservation_groups.reservations_in, wanted.id)
    if members is None:
        yield Problem(wanted.path, f"there is no reservation group {wanted.id}")
    elif not members:
        remedy = "put reservations into it with `aws resource-groups group-resources`"
        yield Problem(wanted.path, f"reservation group {wanted.id} holds no capacity reservation", remedy)
    elif not context.ask(reservation_groups.is_reservation_pool, wanted.id):
        remedy = "make it anew with the configuration AWS::EC2::CapacityReservationPool"
        yield Problem(wanted.path, f"instances cannot be launched into {wanted.id}", remedy)


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
