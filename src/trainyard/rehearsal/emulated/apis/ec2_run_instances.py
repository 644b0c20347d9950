"""EC2: RunInstances as nodes of a cluster need it.

Moto takes little from a launch template, one network interface a device index, and no instance-store volumes. It starts
as few instances as a call allows, and not where their interfaces are.
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
from trainyard.rehearsal.emulated.apis import ec2_capacity, resource_groups
from trainyard.rehearsal.emulated.faults import FAULTS
from trainyard.rehearsal.emulated.planted_refusals import launch_refusal

# "must be greater than or equal to the AMI volume size" stands beside 45 GiB in pcluster/constants.py of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
IMAGE_SIZE_GIB = 45
_PROVISIONED = ("io1", "io2")
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
    request = {**template, **self.params, "TagSpecifications": _tags(template, self.params)}
    available = _checked_capacity(self, request)
    self.params = _for_moto(request) | _place(self, request) | {"MinCount": available}
    result = former(self)
    reservation = _used_reservation(self, request)
    for instance in result.result.instances:
        _complete(instance, request, reservation)
    return result


def _template(self: Any) -> dict[str, Any]:
    """Return what the launch template of the call says, in the words of RunInstances."""
    reference = self.params.get("LaunchTemplate")
    if not reference:
        return {}
    data = copy.deepcopy(self.ec2_backend._get_template_from_args(reference).data)  # noqa: SLF001  # there is no other way
    return {key: value for key, value in data.items() if value not in (None, "", [])}


def _tags(template: Mapping[str, Any], request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tags of the template and those of the call, which win."""
    tags: dict[str, dict[str, str]] = {}
    for specification in [*(template.get("TagSpecifications") or []), *(request.get("TagSpecifications") or [])]:
        tags.setdefault(specification["ResourceType"], {}).update(
            {tag["Key"]: tag["Value"] for tag in specification["Tags"]}
        )
    return [
        {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in pairs.items()]}
        for kind, pairs in tags.items()
    ]


def _place(self: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the placement in the zone of the interfaces; nothing where they say none."""
    zone = _zone(self, request)
    return {"Placement": {**(request.get("Placement") or {}), "AvailabilityZone": zone}} if zone else {}


def _checked_capacity(self: Any, request: Mapping[str, Any]) -> int:
    """Return how many instances start. Refuses where capacity is too little; a dry run looks at parameters only.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html
    """
    kind, zone, name = request.get("InstanceType"), _zone(self, request), _reservation_name(request)
    reservation = ec2_capacity.find(self.current_account, self.region, name) if name else None
    if reservation and (reservation["InstanceType"], reservation["AvailabilityZone"]) != (kind, zone):
        raise EC2ClientError(
            "InvalidParameterValue",
            f"The capacity reservation {name} is for {reservation['InstanceType']} in "
            f"{reservation['AvailabilityZone']}, not for {kind} in {zone}.",
        )
    least = int(request.get("MinCount") or 1)
    most = int(request.get("MaxCount") or least)
    if request.get("DryRun"):
        return least
    _refuse_planted(str(kind), zone, request)
    if kind in FAULTS.no_capacity:
        raise EC2ClientError(
            "InsufficientInstanceCapacity",
            f"We currently do not have sufficient {kind} capacity in the Availability Zone you requested ({zone}).",
        )
    if reservation:
        _check_reservation(reservation, least)
        return min(most, int(reservation["AvailableInstanceCount"]))
    return most


def _refuse_planted(kind: str, zone: str | None, request: Mapping[str, Any]) -> None:
    """Refuse compute nodes for the reason that is planted."""
    tags = {tag["Key"]: tag["Value"] for specification in request["TagSpecifications"] for tag in specification["Tags"]}
    is_node = tags.get("parallelcluster:node-type") == "Compute" or tags.get("eks:nodegroup-name", SYSTEM) != SYSTEM
    if is_node and (refused := launch_refusal(kind, zone, request)):
        raise EC2ClientError(*refused)


def _check_reservation(reservation: Mapping[str, Any], count: int) -> None:
    if reservation["State"] != "active" or reservation["AvailableInstanceCount"] < count:
        raise EC2ClientError(
            "ReservationCapacityExceeded",
            "The requested reservation does not have sufficient compatible and available capacity: "
            f"{reservation['CapacityReservationId']} is {reservation['State']}, and {count} instances are wanted of "
            f"{reservation['AvailableInstanceCount']} that are left.",
        )


def _zone(self: Any, request: Mapping[str, Any]) -> str | None:
    interfaces = request.get("NetworkInterfaces") or []
    subnets = [request.get("SubnetId"), *(interface.get("SubnetId") for interface in interfaces)]
    subnet = next((subnet for subnet in subnets if subnet), None)
    attached = next(
        (interface["NetworkInterfaceId"] for interface in interfaces if interface.get("NetworkInterfaceId")), None
    )
    if attached:
        return str(self.ec2_backend.get_network_interface(attached).subnet.availability_zone)
    return str(self.ec2_backend.get_subnet(subnet).availability_zone) if subnet else None


def _reservation_name(request: Mapping[str, Any]) -> str | None:
    target = (request.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    name: str | None = target.get("CapacityReservationId")
    return name


def _for_moto(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters without what moto stumbles over."""
    changed = {
        "NetworkInterfaces": list(_interfaces(request)),
        "BlockDeviceMappings": list(_volumes(request.get("BlockDeviceMappings") or [])),
        "SecurityGroupIds": request.get("SecurityGroupIds") or [],
        "TagSpecifications": request["TagSpecifications"],
    }
    if isinstance(request.get("UserData"), Base64EncodedString):  # as a launch template keeps it
        changed["UserData"] = request["UserData"].as_bytes().decode()
    dropped = {"LaunchTemplate", *changed, *(("SubnetId",) if changed["NetworkInterfaces"] else ())}
    unchanged = {key: value for key, value in request.items() if key not in dropped}
    return {**unchanged, **{key: value for key, value in changed.items() if value}}


def _interfaces(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Number the interfaces of all network cards through: moto keeps one for each device index.

    An interface that is made with the instance goes with it, unless it says otherwise.
    """
    written = request.get("NetworkInterfaces") or []
    cards = sorted(
        written, key=lambda interface: (interface.get("NetworkCardIndex") or 0, interface.get("DeviceIndex") or 0)
    )
    for number, interface in enumerate(cards):
        if interface.get("NetworkInterfaceId"):
            yield {**interface, "DeviceIndex": number}
        else:
            place = {"SubnetId": request["SubnetId"]} if request.get("SubnetId") else {}
            yield {"DeleteOnTermination": True, **place, **interface, "DeviceIndex": number}


def _volumes(written: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the EBS volumes. Without a size they are as large as the image; instance-store volumes have no EBS.

    Moto makes each without the operations that it is provisioned for, and refuses types that need some.
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
    """
    for mapping in written:
        if "Ebs" not in mapping:
            continue
        ebs = {"VolumeSize": IMAGE_SIZE_GIB, "DeleteOnTermination": True, **mapping["Ebs"]}
        if ebs.get("VolumeType") in _PROVISIONED:
            if not ebs.get("Iops"):
                raise EC2ClientError(
                    "MissingParameter", "The parameter iops must be specified for io1 and io2 volumes."
                )
            ebs["VolumeType"] = "gp3"
        yield {**mapping, "Ebs": ebs}


def _used_reservation(self: Any, request: Mapping[str, Any]) -> str | None:
    """Return the reservation that instances count in: the one that is named, or the first of a group that fits."""
    target = (request.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    group = target.get("CapacityReservationResourceGroupArn")
    if group is None:
        return _reservation_name(request)
    place = (request.get("InstanceType"), _zone(self, request))
    for arn in resource_groups.members(group):
        reservation = ec2_capacity.find(self.current_account, self.region, arn.rpartition("/")[2])
        if (reservation["InstanceType"], reservation["AvailabilityZone"]) == place:
            return str(reservation["CapacityReservationId"])
    return None


def _complete(instance: Any, request: Mapping[str, Any], reservation: str | None) -> None:
    """Note what moto takes from no call."""
    instance.capacity_reservation_id = reservation
    instance.lifecycle = (request.get("InstanceMarketOptions") or {}).get("MarketType")
    instance.placement.group_name = (request.get("Placement") or {}).get("GroupName") or ""
    if request.get("MetadataOptions"):
        instance.metadata_options = MetadataOptions(request["MetadataOptions"])
    for mapping in request.get("BlockDeviceMappings") or []:
        device = instance.block_device_mapping.get(mapping.get("DeviceName"))
        if device is not None and "Ebs" in mapping:
            volume, ebs = instance.ec2_backend.volumes[device.volume_id], mapping["Ebs"]
            volume.volume_type = ebs.get("VolumeType") or volume.volume_type
            volume.iops = int(ebs["Iops"]) if ebs.get("Iops") else volume.iops
