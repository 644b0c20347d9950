"""Amazon EC2: what there is, and what the account may use. Asks only, and by filters: what is missing is left out.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, by_values, client, pages

Described = dict[str, Any]
"""A thing as EC2 describes it."""

_USED_STATES = ("pending", "running")


def region_state(account: Account) -> str:
    """Return opt-in-not-required, opted-in or not-opted-in of the account's region; empty where AWS has no such one."""

    def ask() -> str:
        arguments = {"AllRegions": True, "Filters": by_values(region_name=(account.region,))}
        regions = client(account, "ec2").describe_regions(**arguments)["Regions"]
        return str(regions[0].get("OptInStatus", "")) if regions else ""

    return answer(account, "ec2:DescribeRegions", ask)


def zones(account: Account) -> dict[str, Described]:
    """Return every zone of the region by its name, also those that the account has not switched on."""

    def ask() -> dict[str, Described]:
        described = client(account, "ec2").describe_availability_zones(AllAvailabilityZones=True)
        return {one["ZoneName"]: one for one in described["AvailabilityZones"]}

    return answer(account, "ec2:DescribeAvailabilityZones", ask)


def capacity_reservations(account: Account) -> dict[str, Described]:
    """Return every capacity reservation that the account may use, by its id. Capacity Blocks are among them."""
    permission = "ec2:DescribeCapacityReservations"
    found = pages(account, permission, "describe_capacity_reservations", "CapacityReservations")
    return {one["CapacityReservationId"]: one for one in found}


def used_instances(account: Account) -> tuple[Described, ...]:
    """Return the instances that run, or are about to."""
    states = by_values(instance_state_name=_USED_STATES)
    found = pages(account, "ec2:DescribeInstances", "describe_instances", "Reservations", Filters=states)
    return tuple(instance for reservation in found for instance in reservation["Instances"])


def instance_types(account: Account, names: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some instance types that the region has, by their names."""
    wanted = by_values(instance_type=names)
    found = pages(account, "ec2:DescribeInstanceTypes", "describe_instance_types", "InstanceTypes", Filters=wanted)
    return {one["InstanceType"]: one for one in found}


def offered_zones(account: Account, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return for each instance type the zones that offer it; none where the region has no such type."""
    found = pages(
        account, "ec2:DescribeInstanceTypeOfferings", "describe_instance_type_offerings", "InstanceTypeOfferings",
        LocationType="availability-zone", Filters=by_values(instance_type=names),
    )  # fmt: skip
    return {name: tuple(sorted(one["Location"] for one in found if one["InstanceType"] == name)) for name in names}


def images(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some machine images that the account may use, by their ids."""
    arguments = {"Filters": by_values(image_id=ids), "IncludeDeprecated": True}
    found = pages(account, "ec2:DescribeImages", "describe_images", "Images", **arguments)
    return {one["ImageId"]: one for one in found}


def amazon_images(account: Account, name: str) -> tuple[Described, ...]:
    """Return Amazon's own machine images of a name, which may hold *."""
    arguments = {"Owners": ["amazon"], "Filters": by_values(name=(name,)), "IncludeDeprecated": True}
    return pages(account, "ec2:DescribeImages", "describe_images", "Images", **arguments)


def key_pair(account: Account, name: str) -> Described | None:
    """Return a key pair, None where there is none of this name."""

    def ask() -> Described | None:
        found = client(account, "ec2").describe_key_pairs(Filters=by_values(key_name=(name,)))["KeyPairs"]
        return found[0] if found else None

    return answer(account, "ec2:DescribeKeyPairs", ask)


def vpcs(account: Account) -> dict[str, Described]:
    """Return every VPC of the region, by its id."""
    return {one["VpcId"]: one for one in pages(account, "ec2:DescribeVpcs", "describe_vpcs", "Vpcs")}


def vpc_attribute(account: Account, vpc: str, attribute: str) -> bool:
    """Return enableDnsSupport or enableDnsHostnames of a VPC."""

    def ask() -> bool:
        described = client(account, "ec2").describe_vpc_attribute(VpcId=vpc, Attribute=attribute)
        return bool(described[attribute[0].upper() + attribute[1:]]["Value"])

    return answer(account, "ec2:DescribeVpcAttribute", ask)


def subnets(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some subnets that exist, by their ids."""
    wanted = by_values(subnet_id=ids)
    found = pages(account, "ec2:DescribeSubnets", "describe_subnets", "Subnets", Filters=wanted)
    return {one["SubnetId"]: one for one in found}


def security_groups(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some security groups that exist, by their ids."""
    wanted = by_values(group_id=ids)
    found = pages(account, "ec2:DescribeSecurityGroups", "describe_security_groups", "SecurityGroups", Filters=wanted)
    return {one["GroupId"]: one for one in found}


def route_tables(account: Account, vpc: str) -> tuple[Described, ...]:
    """Return the route tables of a VPC."""
    wanted = by_values(vpc_id=(vpc,))
    return pages(account, "ec2:DescribeRouteTables", "describe_route_tables", "RouteTables", Filters=wanted)


def vpc_endpoints(account: Account, vpc: str) -> tuple[Described, ...]:
    """Return the endpoints of a VPC."""
    wanted = by_values(vpc_id=(vpc,))
    return pages(account, "ec2:DescribeVpcEndpoints", "describe_vpc_endpoints", "VpcEndpoints", Filters=wanted)


def nat_gateways(account: Account) -> tuple[Described, ...]:
    """Return the NAT gateways of the region that are there or coming up."""
    wanted = by_values(state=("pending", "available"))
    return pages(account, "ec2:DescribeNatGateways", "describe_nat_gateways", "NatGateways", Filter=wanted)


def internet_gateways(account: Account) -> tuple[Described, ...]:
    """Return the internet gateways of the region."""
    return pages(account, "ec2:DescribeInternetGateways", "describe_internet_gateways", "InternetGateways")


def addresses(account: Account) -> dict[str, Described]:
    """Return the Elastic IP addresses of the account, by the address."""

    def ask() -> dict[str, Described]:
        return {one["PublicIp"]: one for one in client(account, "ec2").describe_addresses()["Addresses"]}

    return answer(account, "ec2:DescribeAddresses", ask)


def volumes(account: Account, ids: tuple[str, ...]) -> dict[str, Described]:
    """Return those of some EBS volumes that exist, by their ids."""
    wanted = by_values(volume_id=ids)
    found = pages(account, "ec2:DescribeVolumes", "describe_volumes", "Volumes", Filters=wanted)
    return {one["VolumeId"]: one for one in found}


def tags_of(described: Described) -> dict[str, str]:
    """Return the tags of a thing that EC2 described."""
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}
