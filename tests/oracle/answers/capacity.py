"""Capacity reservations, Capacity Blocks and groups of them, as large as the config needs them. Python 3.9 syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.aws import ACCOUNT_ID, made_up_id, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.oracle.account import Account
    from tests.oracle.mentions import ComputeResource

    Answer = dict[str, Any]
    Parameters = Mapping[str, Any]

# The type of a reservation whose compute resource leaves the type to the reservation.
_TYPE_LEFT_OPEN = "p5.48xlarge"
# An UltraServer is sold whole: https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html
_ULTRASERVER_FAMILY = "p6e-gb200"
_ULTRASERVER_SIZES = (9, 18)


def capacity_reservations(account: Account, parameters: Parameters) -> Answer:
    """Describe the reservations that the config names, and those in the groups that it names."""
    known = {reservation["CapacityReservationId"]: reservation for reservation in _reservations(account)}
    asked = parameters["CapacityReservationIds"]
    unknown = [reservation for reservation in asked if reservation not in known]
    if unknown:
        raise refusal("InvalidCapacityReservationId.NotFound", f"The Capacity Reservations {unknown} do not exist")
    return {"CapacityReservations": [known[reservation] for reservation in asked]}


def capacity_block_status(account: Account, _parameters: Parameters) -> Answer:
    """Every Capacity Block is healthy, and of one reservation."""
    statuses = [
        {
            "CapacityBlockId": made_up_id("cb", reservation["CapacityReservationId"]),
            "InterconnectStatus": "ok",
            "TotalCapacity": reservation["TotalInstanceCount"],
            "TotalAvailableCapacity": reservation["TotalInstanceCount"],
            "TotalUnavailableCapacity": 0,
            "CapacityReservationStatuses": [{"CapacityReservationId": reservation["CapacityReservationId"]}],
        }
        for reservation in _reservations(account)
        if reservation["ReservationType"] == "capacity-block"
    ]
    return {"CapacityBlockStatuses": statuses}


def group_resources(account: Account, parameters: Parameters) -> Answer:
    """List the reservations of a group: one for each instance type and zone that is to use it."""
    identifiers = [
        {"ResourceType": "AWS::EC2::CapacityReservation", "ResourceArn": reservation["CapacityReservationArn"]}
        for reservation in _grouped(account, parameters["Group"])
    ]
    return {"Resources": [{"Identifier": identifier} for identifier in identifiers]}


def group_configuration(_account: Account, _parameters: Parameters) -> Answer:
    """Every group is one that EC2 made for reservations."""
    kinds = ["AWS::EC2::CapacityReservationPool", "AWS::ResourceGroups::Generic"]
    return {"GroupConfiguration": {"Configuration": [{"Type": kind} for kind in kinds]}}


def _reservations(account: Account) -> list[dict[str, Any]]:
    groups = _named(resource.reservation_group for resource in account.mentions.compute_resources)
    return [*_single(account), *(reservation for group in groups for reservation in _grouped(account, group))]


def _single(account: Account) -> Iterator[dict[str, Any]]:
    resources = account.mentions.compute_resources
    for reservation in _named(resource.reservation for resource in resources):
        users = [resource for resource in resources if resource.reservation == reservation]
        instance_type = (users[0].instance_types or (_TYPE_LEFT_OPEN,))[0]
        yield _reservation(account, reservation, instance_type, account.zone_of(users[0].subnets[0]), users)


def _grouped(account: Account, group: str) -> Iterator[dict[str, Any]]:
    users = [resource for resource in account.mentions.compute_resources if resource.reservation_group == group]
    places = {
        (name, account.zone_of(subnet))
        for resource in users
        for name in resource.instance_types
        for subnet in resource.subnets
    }
    for name, zone in sorted(places):
        yield _reservation(account, made_up_id("cr", group, name, zone), name, zone, users)


def _reservation(
    account: Account, reservation: str, instance_type: str, zone: str, users: list[ComputeResource]
) -> dict[str, Any]:
    is_block = any(user.capacity_type == "CAPACITY_BLOCK" for user in users)
    count = _size(instance_type, sum(user.max_count for user in users))
    return {
        "CapacityReservationId": reservation,
        "CapacityReservationArn": f"arn:aws:ec2:{account.facts.region}:{ACCOUNT_ID}:capacity-reservation/{reservation}",
        "InstanceType": instance_type,
        "InstancePlatform": "Red Hat Enterprise Linux" if account.mentions.os.startswith("rhel") else "Linux/UNIX",
        "AvailabilityZone": zone,
        "TotalInstanceCount": count,
        "AvailableInstanceCount": count,
        "State": "active",
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block" if is_block else "default",
    }


def _size(instance_type: str, needed: int) -> int:
    """Return the instances of a reservation: what is needed, or the UltraServer that has as many."""
    sizes = _ULTRASERVER_SIZES if instance_type.startswith(_ULTRASERVER_FAMILY) else (needed,)
    return next((size for size in sizes if size >= needed), needed)


def _named(names: Iterator[str | None]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


ANSWERS = {
    "ec2.DescribeCapacityBlockStatus": capacity_block_status,
    "ec2.DescribeCapacityReservations": capacity_reservations,
    "resource-groups.GetGroupConfiguration": group_configuration,
    "resource-groups.ListGroupResources": group_resources,
}
