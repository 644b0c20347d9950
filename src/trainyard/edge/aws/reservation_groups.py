"""Resource groups of capacity reservations: made, filled, looked up and removed.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages, pages_or_none
from trainyard.errors import TrainyardError

_SERVICE = "resource-groups"
_MISSING = ("NotFoundException",)
_RESERVATION = "AWS::EC2::CapacityReservation"


def find_group(account: Account, name: str) -> tuple[str, dict[str, str]] | None:
    """Return the ARN and the tags of a group, None where there is none of this name."""
    doing = f"look at resource group {name}"
    answer = call(account, _SERVICE, "get_group", doing=doing, none_if=_MISSING, Group=name)
    if answer is None:
        return None
    arn: str = answer["Group"]["GroupArn"]
    tagged = call(account, _SERVICE, "get_tags", doing=doing, none_if=_MISSING, Arn=arn)
    return None if tagged is None else (arn, tagged["Tags"])


def reservations_in(account: Account, group: str) -> tuple[str, ...] | None:
    """Return the ids of the capacity reservations of a group, None where there is no such group.

    https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html
    """
    resources = pages_or_none(account, _SERVICE, "list_group_resources", "Resources", none_if=_MISSING, Group=group)
    if resources is None:
        return None
    ids = [resource["Identifier"] for resource in resources]
    return tuple(id_["ResourceArn"].rpartition("/")[2] for id_ in ids if id_["ResourceType"] == _RESERVATION)


def is_reservation_pool(account: Account, group: str) -> bool:
    """Return whether a group was made for capacity reservations, so that instances can be launched into it."""
    answer = call(account, _SERVICE, "get_group_configuration", none_if=_MISSING, Group=group) or {}
    configured = answer.get("GroupConfiguration", {}).get("Configuration", ())
    return any("CapacityReservationPool" in part["Type"] for part in configured)


def groups_tagged(account: Account, tag: str, value: str) -> list[str]:
    """Return the names of the groups that carry a tag."""
    doing = "list resource groups"
    groups = pages(account, _SERVICE, "list_groups", "GroupIdentifiers", doing=doing)
    return [
        group["GroupName"]
        for group in groups
        if call(account, _SERVICE, "get_tags", doing=doing, Arn=group["GroupArn"])["Tags"].get(tag) == value
    ]


def create_group(account: Account, name: str, configuration: Sequence[Any], tags: dict[str, str]) -> str:
    """Make an empty group and return its ARN. One that a call made whose answer was lost is the same."""
    parameters: dict[str, Any] = {"Name": name, "Configuration": list(configuration), "Tags": tags}
    try:
        answer = call(account, _SERVICE, "create_group", doing=f"make resource group {name}", **parameters)
    except TrainyardError:
        group = find_group(account, name)
        if group is None or group[1] != tags:
            raise
        return group[0]
    return str(answer["Group"]["GroupArn"])


def put_into_group(account: Account, name: str, reservations: Sequence[str], partition: str) -> None:
    """Put reservations into a group. Those that are in it stay.

    Raises TrainyardError where one of them cannot be put into it.
    """
    arn = f"arn:{partition}:ec2:{account.region}:{account.id}:capacity-reservation/"
    place: dict[str, Any] = {"Group": name, "ResourceArns": [arn + reservation for reservation in reservations]}
    answer = call(account, _SERVICE, "group_resources", doing=f"put reservations into group {name}", **place)
    if failed := answer.get("Failed"):
        raise TrainyardError(
            f"{failed[0].get('ResourceArn')} cannot be put into group {name}: {failed[0].get('ErrorMessage')}",
            where=name,
            hint="see that the reservation is active and of this account",
        )


def delete_group(account: Account, name: str) -> None:
    """Delete a group. The reservations in it stay."""
    call(account, _SERVICE, "delete_group", doing=f"delete resource group {name}", none_if=_MISSING, Group=name)
