"""EC2: On-Demand Capacity Reservations and Capacity Blocks, none of which moto has.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX, random_id

from trainyard.rehearsal.emulated import account_clock
from trainyard.rehearsal.emulated.actions import add

_RESERVATIONS: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
_TAKEN_BACK = timedelta(minutes=30)
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "instance-type": "InstanceType",
    "instance-platform": "InstancePlatform",
    "state": "State",
    "reservation-type": "ReservationType",
}


def install() -> None:
    """Add the actions, and let reservations be tagged."""
    EC2_RESOURCE_TO_PREFIX["capacity-reservation"] = "cr"
    EC2_PREFIX_TO_RESOURCE["cr"] = "capacity-reservation"
    add(
        EC2Response,
        create_capacity_reservation,
        describe_capacity_reservations,
        cancel_capacity_reservation,
        describe_capacity_block_status,
        describe_capacity_blocks,
        describe_capacity_block_offerings,
        describe_capacity_block_extension_offerings,
        purchase_capacity_block_extension,
    )


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the reservations that are not cancelled."""
    every = _RESERVATIONS.get((account_id, region), {})
    return {
        "EC2 capacity reservations": [
            name for name, reservation in every.items() if reservation["State"] != "cancelled"
        ]
    }


def reservations_of(account_id: str, region: str) -> Mapping[str, Mapping[str, Any]]:
    """Return every reservation by its id."""
    return _RESERVATIONS.get((account_id, region), {})


def reserve(account_id: str, region: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make a reservation, in the form of an answer. ``wanted`` has keys of one; an id is made up where it has none."""
    made_up = random_id("cr")
    reservation = {
        "CapacityReservationId": made_up,
        "OwnerId": account_id,
        "AvailabilityZone": f"{region}a",
        "InstancePlatform": "Linux/UNIX",
        "Tenancy": "default",
        "State": "active",
        "InstanceMatchCriteria": "open",
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "EndDateType": "unlimited",
        "ReservationType": "default",
        "CreateDate": datetime.now(UTC),
        "StartDate": datetime.now(UTC),
        **{key: value for key, value in properties.items() if value is not None},
    }
    name = reservation["CapacityReservationId"]
    reservation["CapacityReservationArn"] = f"arn:aws:ec2:{region}:{account_id}:capacity-reservation/{name}"
    _RESERVATIONS.setdefault((account_id, region), {})[name] = reservation
    return reservation


def find(account_id: str, region: str, name: str) -> dict[str, Any]:
    """Return a reservation with what is left of it. Raises what EC2 raises where there is none."""
    if name not in _RESERVATIONS.get((account_id, region), {}):
        raise EC2ClientError(
            "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{name}' could not be found."
        )
    reservation = _RESERVATIONS[account_id, region][name]
    backend = ec2_backends[account_id][region]
    tags = [{"Key": tag["key"], "Value": tag["value"]} for tag in backend.describe_tags({"resource-id": [name]})]
    used = sum(1 for _ in _instances_in(backend, name))
    available = reservation["TotalInstanceCount"] - used
    return {**reservation, "State": _state(reservation), "AvailableInstanceCount": available, "Tags": tags}


def _state(reservation: Mapping[str, Any]) -> str:
    """Return the state that it has by its dates: what has begun is active until its end.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
    """
    state, end = str(reservation["State"]), _moment(reservation.get("EndDate"))
    if state not in ("active", "scheduled"):
        return state
    if end is not None and end <= account_clock.now():
        return "expired"
    start = _moment(reservation.get("StartDate"))
    return "scheduled" if start is not None and start > account_clock.now() else "active"


def _moment(written: Any) -> datetime | None:
    """Return a date as calls and seeds give it: as a time, or as text."""
    moment = datetime.fromisoformat(written) if isinstance(written, str) else written
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def move_clock(told: Mapping[str, float]) -> dict[str, int]:
    """Move the clock so many seconds ahead of the real one, and end what EC2 takes back by then.

    Instances of a Capacity Block end 30 minutes before it:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html
    """
    account_clock.AHEAD.seconds = told["ahead_s"]
    ended = []
    for (account_id, region), every in _RESERVATIONS.items():
        backend = ec2_backends[account_id][region]
        for name, reservation in every.items():
            end = _moment(reservation.get("EndDate"))
            is_block = reservation["ReservationType"] == "capacity-block"
            if is_block and end is not None and end - _TAKEN_BACK <= account_clock.now():
                ended += [instance.id for instance in _instances_in(backend, name)]
        if ended:
            backend.terminate_instances(ended)
    return {"ended_instances": len(ended)}


def create_capacity_reservation(self: Any) -> ActionResult:
    """Answer CreateCapacityReservation."""
    request = self.params
    self.error_on_dryrun()
    keys = (
        *("InstanceType", "InstancePlatform", "AvailabilityZone", "Tenancy", "EbsOptimized", "EphemeralStorage"),
        *("EndDate", "EndDateType", "InstanceMatchCriteria", "PlacementGroupArn", "StartDate"),
    )
    properties = {key: request.get(key) for key in keys}
    reservation = reserve(
        self.current_account, self.region, {**properties, "TotalInstanceCount": request["InstanceCount"]}
    )
    for tags in self._parse_tag_specification().values():
        self.ec2_backend.create_tags([reservation["CapacityReservationId"]], tags)
    return ActionResult({"CapacityReservation": _reservation(self, reservation["CapacityReservationId"])})


def describe_capacity_reservations(self: Any) -> ActionResult:
    """Answer DescribeCapacityReservations."""
    return ActionResult({"CapacityReservations": list(_matching_reservations(self))})


def cancel_capacity_reservation(self: Any) -> ActionResult:
    """Answer CancelCapacityReservation. A Capacity Block cannot be cancelled.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    """
    reservation = _reservation(self, self._get_param("CapacityReservationId"))
    if reservation["ReservationType"] == "capacity-block":
        raise EC2ClientError("InvalidState", "A Capacity Block can't be canceled.")
    _RESERVATIONS[self.current_account, self.region][reservation["CapacityReservationId"]]["State"] = "cancelled"
    return ActionResult({"Return": True})


def describe_capacity_block_status(self: Any) -> ActionResult:
    """Answer DescribeCapacityBlockStatus: every block is healthy."""
    statuses = [
        {
            "CapacityBlockId": _block_id(reservation),
            "InterconnectStatus": "ok",
            "TotalCapacity": reservation["TotalInstanceCount"],
            "TotalAvailableCapacity": reservation["AvailableInstanceCount"],
            "TotalUnavailableCapacity": 0,
            "CapacityReservationStatuses": [
                {
                    "CapacityReservationId": reservation["CapacityReservationId"],
                    "TotalCapacity": reservation["TotalInstanceCount"],
                    "TotalAvailableCapacity": reservation["AvailableInstanceCount"],
                    "TotalUnavailableCapacity": 0,
                }
            ],
        }
        for reservation in _blocks(self)
    ]
    return ActionResult({"CapacityBlockStatuses": statuses})


def describe_capacity_blocks(self: Any) -> ActionResult:
    """Answer DescribeCapacityBlocks."""
    blocks = [
        {
            "CapacityBlockId": _block_id(reservation),
            "AvailabilityZone": reservation["AvailabilityZone"],
            "CapacityReservationIds": [reservation["CapacityReservationId"]],
            "StartDate": reservation["StartDate"],
            "EndDate": reservation.get("EndDate"),
            "CreateDate": reservation["CreateDate"],
            "State": "active",
        }
        for reservation in _blocks(self)
    ]
    return ActionResult({"CapacityBlocks": blocks})


def describe_capacity_block_offerings(self: Any) -> ActionResult:  # noqa: ARG001  # moto's actions are methods
    """Answer DescribeCapacityBlockOfferings: nothing is for sale here."""
    return ActionResult({"CapacityBlockOfferings": []})


def describe_capacity_block_extension_offerings(self: Any) -> ActionResult:
    """Answer DescribeCapacityBlockExtensionOfferings: a block can be extended by what is asked for."""
    reservation = _reservation(self, self._get_param("CapacityReservationId"))
    hours = int(self._get_param("CapacityBlockExtensionDurationHours"))
    return ActionResult({"CapacityBlockExtensionOfferings": [_extension(reservation, hours)]})


def purchase_capacity_block_extension(self: Any) -> ActionResult:
    """Answer PurchaseCapacityBlockExtension: the end moves, and the id stays. A block that is over is refused.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-extend.html
    """
    reservation = _reservation(self, self._get_param("CapacityReservationId"))
    if reservation["State"] not in ("active", "scheduled"):
        raise EC2ClientError("InvalidState", f"The Capacity Block is {reservation['State']} and can't be extended.")
    hours = int(self._get_param("CapacityBlockExtensionOfferingId").rpartition("-")[2])
    extension = _extension(reservation, hours)
    own = _RESERVATIONS[self.current_account, self.region][reservation["CapacityReservationId"]]
    own["EndDate"] = extension["CapacityBlockExtensionEndDate"]
    bought = {**extension, "CapacityBlockExtensionStatus": "payment-succeeded"}
    return ActionResult({"CapacityBlockExtensions": [bought]})


def _extension(reservation: Mapping[str, Any], hours: int) -> dict[str, Any]:
    end = _moment(reservation["EndDate"]) or account_clock.now()
    return {
        "CapacityReservationId": reservation["CapacityReservationId"],
        "CapacityBlockExtensionOfferingId": f"cbe-{hours}",
        "InstanceType": reservation["InstanceType"],
        "InstanceCount": reservation["TotalInstanceCount"],
        "AvailabilityZone": reservation["AvailabilityZone"],
        "CapacityBlockExtensionDurationHours": hours,
        "CapacityBlockExtensionStartDate": end,
        "CapacityBlockExtensionEndDate": end + timedelta(hours=hours),
    }


def _matching_reservations(self: Any) -> Iterator[dict[str, Any]]:
    every = _RESERVATIONS.get((self.current_account, self.region), {})
    wanted_values = {
        _FILTERS.get(filter_["Name"], filter_["Name"]): filter_["Values"] for filter_ in self._get_param("Filters", [])
    }
    for name in self._get_param("CapacityReservationIds", []) or every:
        reservation = _reservation(self, name)
        if all(reservation.get(key) in values for key, values in wanted_values.items()):
            yield reservation


def _blocks(self: Any) -> list[dict[str, Any]]:
    block_ids = self._get_param("CapacityBlockIds", [])
    every = [_reservation(self, name) for name in _RESERVATIONS.get((self.current_account, self.region), {})]
    blocks = [reservation for reservation in every if reservation["ReservationType"] == "capacity-block"]
    return [block for block in blocks if not block_ids or _block_id(block) in block_ids]


def _block_id(reservation: Mapping[str, Any]) -> str:
    return str(reservation["CapacityReservationId"]).replace("cr-", "cb-", 1)


def _reservation(self: Any, name: str) -> dict[str, Any]:
    return find(self.current_account, self.region, name)


def _instances_in(backend: Any, name: str) -> Iterator[Any]:
    for instance in backend.all_instances():
        if getattr(instance, "capacity_reservation_id", None) == name and instance.state != "terminated":
            yield instance
