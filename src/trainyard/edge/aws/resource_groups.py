"""AWS Resource Groups: groups of capacity reservations. Asks only."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

_RESERVATION = "AWS::EC2::CapacityReservation"


def reservations_in(account: Account, group: str) -> tuple[str, ...] | None:
    """Return the ids of the capacity reservations of a group, None where there is no such group.

    https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html
    """

    def ask() -> tuple[str, ...]:
        listed = client(account, "resource-groups").get_paginator("list_group_resources").paginate(Group=group)
        found = [one["Identifier"] for page in listed for one in page.get("Resources", ())]
        return tuple(one["ResourceArn"].rpartition("/")[2] for one in found if one["ResourceType"] == _RESERVATION)

    return answer_or_none(account, "resource-groups:ListGroupResources", ask, ("NotFoundException",))


def is_reservation_pool(account: Account, group: str) -> bool:
    """Return whether a group was made for capacity reservations, so that instances can be launched into it.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
    """

    def ask() -> bool:
        configured = client(account, "resource-groups").get_group_configuration(Group=group)
        parts = configured.get("GroupConfiguration", {}).get("Configuration", ())
        return any("CapacityReservationPool" in part["Type"] for part in parts)

    permission = "resource-groups:GetGroupConfiguration"
    return bool(answer_or_none(account, permission, ask, ("NotFoundException",)))
