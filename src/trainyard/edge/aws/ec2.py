"""Amazon EC2: what there is, and what the account may use. Asks only, and by filters: what is missing is left out.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values, call, pages, parts

Described = dict[str, Any]
"""A thing as EC2 describes it."""

_USED_STATES = ("pending", "running")
_IDS_AT_ONCE = 100
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityReservationTopology.html
_RESERVATIONS_AT_ONCE = 10
_OVER = ("[Completed]", "[Canceled]")
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_NO_TEMPLATE = {
    "InvalidLaunchTemplateId.Malformed",
    "InvalidLaunchTemplateId.NotFound",
    "InvalidLaunchTemplateId.VersionNotFound",
    "InvalidLaunchTemplateName.NotFoundException",
}


def region_state(account: Account) -> str:
    """Return opt-in-not-required, opted-in or not-opted-in of the account's region; empty where AWS has no such one."""
    filters = by_values(region_name=(account.region,))
    regions = call(account, "ec2", "describe_regions", AllRegions=True, Filters=filters)["Regions"]
    return str(regions[0].get("OptInStatus", "")) if regions else ""


def zones(account: Account) -> dict[str, Described]:
    """Return every zone of the region by its name, also those that the account has not switched on."""
    answer = call(account, "ec2", "describe_availability_zones", AllAvailabilityZones=True)
    return {zone["ZoneName"]: zone for zone in answer["AvailabilityZones"]}


def capacity_reservations(account: Account) -> dict[str, Described]:
    """Return every capacity reservation that the account may use, by its id. Capacity Blocks are among them."""
    reservations = pages(account, "ec2", "describe_capacity_reservations", "CapacityReservations")
    return {reservation["CapacityReservationId"]: reservation for reservation in reservations}


def used_instances(account: Account) -> tuple[Described, ...]:
    """Return the instances that run, or are about to."""
    return instances(account, by_values(instance_state_name=_USED_STATES))


def instances(account: Account, filters: list[dict[str, Any]], **parameters: Any) -> tuple[Described, ...]:
    """Return the instances that pass some filters. ``parameters`` are those of ``call``."""
    reservations = pages(account, "ec2", "describe_instances", "Reservations", Filters=filters, **parameters)
    return tuple(instance for reservation in reservations for instance in reservation["Instances"])


def instances_by_id(account: Account, ids: Sequence[str]) -> tuple[Described, ...]:
    """Return those of some instances that there are."""
    listed = (instances(account, by_values(instance_id=part)) for part in parts(ids, _IDS_AT_ONCE))
    return tuple(instance for part in listed for instance in part)


def instance_topology(account: Account, ids: Sequence[str]) -> dict[str, Described]:
    """Return under which network nodes some instances are, by their ids. Of many types EC2 does not tell it."""
    told = (
        pages(account, "ec2", "describe_instance_topology", "Instances", InstanceIds=list(part))
        for part in parts(ids, _IDS_AT_ONCE)
    )
    return {instance["InstanceId"]: instance for part in told for instance in part}


def reservation_topology(account: Account, ids: Sequence[str]) -> list[Described]:
    """Return under which network nodes some capacity reservations are, as far as EC2 knows it before instances run."""
    return [
        reservation
        for part in parts(ids, _RESERVATIONS_AT_ONCE)
        for reservation in call(
            account, "ec2", "describe_capacity_reservation_topology", CapacityReservationIds=list(part)
        )["CapacityReservations"]
    ]


def scheduled_events(account: Account, ids: Sequence[str]) -> Iterator[tuple[str, Described]]:
    """Yield what EC2 will do to some instances, each with the id of its instance: reboot, stop or retire it.

    Events that are over stay for a week, and say so: those are left out.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/viewing_scheduled_events.html
    """
    for part in parts(ids, _IDS_AT_ONCE):
        statuses = pages(
            account, "ec2", "describe_instance_status", "InstanceStatuses",
            InstanceIds=list(part), IncludeAllInstances=True,
        )  # fmt: skip
        for status in statuses:
            for event in status.get("Events", ()):
                if not str(event.get("Description", "")).startswith(_OVER):
                    yield status["InstanceId"], event


def instance_types(account: Account, names: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some instance types that the region has, by their names."""
    filters = by_values(instance_type=names)
    types = pages(account, "ec2", "describe_instance_types", "InstanceTypes", Filters=filters)
    return {described["InstanceType"]: described for described in types}


def offered_zones(account: Account, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return for each instance type the zones that offer it; none where the region has no such type."""
    offers = pages(
        account, "ec2", "describe_instance_type_offerings", "InstanceTypeOfferings",
        LocationType="availability-zone", Filters=by_values(instance_type=names),
    )  # fmt: skip
    return {
        name: tuple(sorted(offer["Location"] for offer in offers if offer["InstanceType"] == name)) for name in names
    }


def images(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some machine images that the account may use, by their ids."""
    arguments = {"Filters": by_values(image_id=ids), "IncludeDeprecated": True}
    listed = pages(account, "ec2", "describe_images", "Images", **arguments)
    return {image["ImageId"]: image for image in listed}


def amazon_images(account: Account, name: str) -> tuple[Described, ...]:
    """Return Amazon's own machine images of a name, which may hold *."""
    arguments = {"Owners": ["amazon"], "Filters": by_values(name=(name,)), "IncludeDeprecated": True}
    return pages(account, "ec2", "describe_images", "Images", **arguments)


def key_pair(account: Account, name: str) -> Described | None:
    """Return a key pair, None where there is none of this name."""
    pairs = call(account, "ec2", "describe_key_pairs", Filters=by_values(key_name=(name,)))["KeyPairs"]
    return next(iter(pairs), None)


def vpcs(account: Account) -> dict[str, Described]:
    """Return every VPC of the region, by its id."""
    return {vpc["VpcId"]: vpc for vpc in pages(account, "ec2", "describe_vpcs", "Vpcs")}


def vpc_attribute(account: Account, vpc: str, attribute: str) -> bool:
    """Return enableDnsSupport or enableDnsHostnames of a VPC."""
    answer = call(account, "ec2", "describe_vpc_attribute", VpcId=vpc, Attribute=attribute)
    return bool(answer[attribute[0].upper() + attribute[1:]]["Value"])


def subnets(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some subnets that exist, by their ids."""
    filters = by_values(subnet_id=ids)
    listed = pages(account, "ec2", "describe_subnets", "Subnets", Filters=filters)
    return {subnet["SubnetId"]: subnet for subnet in listed}


def security_groups(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some security groups that exist, by their ids."""
    filters = by_values(group_id=ids)
    groups = pages(account, "ec2", "describe_security_groups", "SecurityGroups", Filters=filters)
    return {group["GroupId"]: group for group in groups}


def route_tables(account: Account, vpc: str) -> tuple[Described, ...]:
    """Return the route tables of a VPC."""
    filters = by_values(vpc_id=(vpc,))
    return pages(account, "ec2", "describe_route_tables", "RouteTables", Filters=filters)


def vpc_endpoints(account: Account, vpc: str) -> tuple[Described, ...]:
    """Return the endpoints of a VPC."""
    filters = by_values(vpc_id=(vpc,))
    return pages(account, "ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=filters)


def nat_gateways(account: Account) -> tuple[Described, ...]:
    """Return the NAT gateways of the region that are there or coming up."""
    filters = by_values(state=("pending", "available"))
    return pages(account, "ec2", "describe_nat_gateways", "NatGateways", Filter=filters)


def internet_gateways(account: Account) -> tuple[Described, ...]:
    """Return the internet gateways of the region."""
    return pages(account, "ec2", "describe_internet_gateways", "InternetGateways")


def addresses(account: Account) -> dict[str, Described]:
    """Return the Elastic IP addresses of the account, by the address."""
    addresses = call(account, "ec2", "describe_addresses")["Addresses"]
    return {address["PublicIp"]: address for address in addresses}


def volumes(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some EBS volumes that exist, by their ids."""
    listed = pages(account, "ec2", "describe_volumes", "Volumes", Filters=by_values(volume_id=ids))
    return {volume["VolumeId"]: volume for volume in listed}


def shared_volumes(account: Account, cluster: str, names: Collection[str]) -> tuple[Described, ...]:
    """Return the EBS volumes that ParallelCluster made for a cluster under some names of its shared storage."""
    filters = [*by_values(**{"tag:Name": names}), *by_values(**{"tag:parallelcluster:cluster-name": (cluster,)})]
    return pages(account, "ec2", "describe_volumes", "Volumes", Filters=filters)


def launch_template_data(account: Account, named: str, version: str) -> Mapping[str, Any] | None:
    """Return what a version of a launch template says; None where there is no such template or version.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeLaunchTemplateVersions.html
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    which = "LaunchTemplateId" if named.startswith("lt-") else "LaunchTemplateName"
    place = {which: named, "Versions": [version]}
    operation, key = "describe_launch_template_versions", "LaunchTemplateVersions"
    versions = pages(account, "ec2", operation, key, none_if=_NO_TEMPLATE, **place)
    return next((described["LaunchTemplateData"] for described in versions), None)


def reservation_of(data: Mapping[str, Any]) -> str | None:
    """Return the capacity reservation or block of a launch template's instances, or the ARN of a group of them."""
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    reservation = target.get("CapacityReservationId") or target.get("CapacityReservationResourceGroupArn")
    return None if reservation is None else str(reservation)


def tags_of(described: Described) -> dict[str, str]:
    """Return the tags of a thing that EC2 described."""
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}
