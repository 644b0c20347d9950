"""EC2: RunInstances as nodes of a cluster need it.

Moto takes little from a launch template, one network interface a device index, and no instance-store volumes.
https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/responses/instances.py
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from moto.core.types import Base64EncodedString
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instances import MetadataOptions
from moto.ec2.responses import EC2Response

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.apis import ec2_capacity
from trainyard.rehearsal.emulated.faults import FAULTS
from trainyard.rehearsal.emulated.planted_refusals import launch_refusal

# "must be greater than or equal to the AMI volume size" stands beside 45 GiB in pcluster/constants.py of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
IMAGE_SIZE_GIB = 45
SYSTEM = "system"
"""The node group of EKS that runs the cluster itself. Breakdowns of nodes spare it, as they spare head nodes."""


def install() -> None:
    """Fill in what the launch template says, check for capacity, and hand on to moto what it understands."""
    wrap(EC2Response, "run_instances", _run_instances)


def _run_instances(former: Callable[..., Any], self: Any) -> Any:
    if self.params.get("SubnetId") and self.params.get("NetworkInterfaces"):
        raise EC2ClientError(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level subnet ID may not be specified on the same request",
        )
    template = _template(self)
    asked = {**template, **self.params, "TagSpecifications": _tags(template, self.params)}
    _check_capacity(self, asked)
    self.params = _for_moto(asked)
    result = former(self)
    for instance in result.result.instances:
        _complete(instance, asked)
    return result


def _template(self: Any) -> dict[str, Any]:
    """Return what the launch template of the call says, in the words of RunInstances."""
    wanted = self.params.get("LaunchTemplate")
    if not wanted:
        return {}
    data = copy.deepcopy(self.ec2_backend._get_template_from_args(wanted).data)  # noqa: SLF001  # there is no other way
    return {key: value for key, value in data.items() if value not in (None, "", [])}


def _tags(template: Mapping[str, Any], asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tags of the template and those of the call, which win."""
    tags: dict[str, dict[str, str]] = {}
    for one in [*(template.get("TagSpecifications") or []), *(asked.get("TagSpecifications") or [])]:
        tags.setdefault(one["ResourceType"], {}).update({tag["Key"]: tag["Value"] for tag in one["Tags"]})
    return [
        {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in pairs.items()]}
        for kind, pairs in tags.items()
    ]


def _check_capacity(self: Any, asked: Mapping[str, Any]) -> None:
    """Refuse what there is no capacity for. A dry run looks at parameters only.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html
    """
    kind, zone, name = asked.get("InstanceType"), _zone(self, asked), _reservation_name(asked)
    reservation = ec2_capacity.find(self.current_account, self.region, name) if name else None
    if reservation and (reservation["InstanceType"], reservation["AvailabilityZone"]) != (kind, zone):
        raise EC2ClientError(
            "InvalidParameterValue",
            f"The capacity reservation {name} is for {reservation['InstanceType']} in "
            f"{reservation['AvailabilityZone']}, not for {kind} in {zone}.",
        )
    if asked.get("DryRun"):
        return
    _refuse_planted(str(kind), zone, asked)
    if kind in FAULTS.no_capacity:
        raise EC2ClientError(
            "InsufficientInstanceCapacity",
            f"We currently do not have sufficient {kind} capacity in the Availability Zone you requested ({zone}).",
        )
    if reservation:
        _check_reservation(reservation, int(asked.get("MinCount") or 1))


def _refuse_planted(kind: str, zone: str | None, asked: Mapping[str, Any]) -> None:
    """Refuse compute nodes for the reason that is planted."""
    tags = {tag["Key"]: tag["Value"] for one in asked["TagSpecifications"] for tag in one["Tags"]}
    is_node = tags.get("parallelcluster:node-type") == "Compute" or tags.get("eks:nodegroup-name", SYSTEM) != SYSTEM
    if is_node and (refused := launch_refusal(kind, zone, asked)):
        raise EC2ClientError(*refused)


def _check_reservation(reservation: Mapping[str, Any], count: int) -> None:
    if reservation["State"] != "active" or reservation["AvailableInstanceCount"] < count:
        raise EC2ClientError(
            "ReservationCapacityExceeded",
            "The requested reservation does not have sufficient compatible and available capacity: "
            f"{reservation['CapacityReservationId']} is {reservation['State']}, and {count} instances are wanted of "
            f"{reservation['AvailableInstanceCount']} that are left.",
        )


def _zone(self: Any, asked: Mapping[str, Any]) -> str | None:
    interfaces = asked.get("NetworkInterfaces") or []
    subnets = [asked.get("SubnetId"), *(interface.get("SubnetId") for interface in interfaces)]
    subnet = next((subnet for subnet in subnets if subnet), None)
    attached = next((one["NetworkInterfaceId"] for one in interfaces if one.get("NetworkInterfaceId")), None)
    if attached:
        return str(self.ec2_backend.get_network_interface(attached).subnet.availability_zone)
    return str(self.ec2_backend.get_subnet(subnet).availability_zone) if subnet else None


def _reservation_name(asked: Mapping[str, Any]) -> str | None:
    target = (asked.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    name: str | None = target.get("CapacityReservationId")
    return name


def _for_moto(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters without what moto stumbles over."""
    changed = {
        "NetworkInterfaces": list(_interfaces(asked)),
        "BlockDeviceMappings": list(_volumes(asked.get("BlockDeviceMappings") or [])),
        "SecurityGroupIds": asked.get("SecurityGroupIds") or [],
        "TagSpecifications": asked["TagSpecifications"],
    }
    if isinstance(asked.get("UserData"), Base64EncodedString):  # as a launch template keeps it
        changed["UserData"] = asked["UserData"].as_bytes().decode()
    dropped = {"LaunchTemplate", *changed, *(("SubnetId",) if changed["NetworkInterfaces"] else ())}
    kept = {key: value for key, value in asked.items() if key not in dropped}
    return {**kept, **{key: value for key, value in changed.items() if value}}


def _interfaces(asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Number the interfaces of all network cards through: moto keeps one for each device index.

    An interface that is made with the instance goes with it, unless it says otherwise.
    """
    written = asked.get("NetworkInterfaces") or []
    cards = sorted(written, key=lambda one: (one.get("NetworkCardIndex") or 0, one.get("DeviceIndex") or 0))
    for number, interface in enumerate(cards):
        if interface.get("NetworkInterfaceId"):
            yield {**interface, "DeviceIndex": number}
        else:
            place = {"SubnetId": asked["SubnetId"]} if asked.get("SubnetId") else {}
            yield {"DeleteOnTermination": True, **place, **interface, "DeviceIndex": number}


def _volumes(written: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the EBS volumes. Without a size they are as large as the image; instance-store volumes have no EBS."""
    for mapping in written:
        if "Ebs" in mapping:
            yield {**mapping, "Ebs": {"VolumeSize": IMAGE_SIZE_GIB, "DeleteOnTermination": True, **mapping["Ebs"]}}


def _complete(instance: Any, asked: Mapping[str, Any]) -> None:
    """Note what moto takes from no call."""
    instance.capacity_reservation = _reservation_name(asked)
    instance.lifecycle = (asked.get("InstanceMarketOptions") or {}).get("MarketType")
    instance.placement.group_name = (asked.get("Placement") or {}).get("GroupName") or ""
    if asked.get("MetadataOptions"):
        instance.metadata_options = MetadataOptions(asked["MetadataOptions"])
