"""A VPC that is in the emulated account already, with the subnets and security groups that a spec names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import security_groups, subnets, vpcs

from trainyard.rehearsal.emulated.fixed_ids import given_id
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

_CIDR = "10.0.0.0/16"
_UNNAMED = "10.0.240.0/20"


def plant_network(account: str, region: str, network: Mapping[str, Any] | None) -> None:
    """Make the network: public subnets behind an internet gateway, private ones behind a NAT gateway."""
    if network is None:
        return
    vpc = network["vpc"]
    ec2 = InProcessAccount(region, account).client("ec2")
    with given_id(vpcs, "random_vpc_id", vpc):
        ec2.create_vpc(CidrBlock=_CIDR)
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    for number, subnet in enumerate([*network["public"], *network["private"]]):
        _plant_subnet(ec2, vpc, subnet, f"10.0.{number * 16}.0/20")
    _plant_routes(ec2, vpc, network)
    for name in network["security_groups"]:
        with given_id(security_groups, "random_security_group_id", name):
            ec2.create_security_group(GroupName=f"own-{name}", Description="named by the spec", VpcId=vpc)


def _plant_subnet(ec2: Any, vpc: str, subnet: Mapping[str, str], cidr: str) -> None:
    with given_id(subnets, "random_subnet_id", subnet["id"]):
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=subnet["zone"])
    ec2.modify_subnet_attribute(SubnetId=subnet["id"], MapPublicIpOnLaunch={"Value": False})


def _plant_routes(ec2: Any, vpc: str, network: Mapping[str, Any]) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    _plant_route(ec2, vpc, network["public"], {"GatewayId": gateway})
    for subnet in network["public"]:
        ec2.modify_subnet_attribute(SubnetId=subnet["id"], MapPublicIpOnLaunch={"Value": True})
    public = network["public"][0]["id"] if network["public"] else _unnamed_subnet(ec2, vpc, network, gateway)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    made = ec2.create_nat_gateway(SubnetId=public, AllocationId=address)
    _plant_route(ec2, vpc, network["private"], {"NatGatewayId": made["NatGateway"]["NatGatewayId"]})


def _unnamed_subnet(ec2: Any, vpc: str, network: Mapping[str, Any], gateway: str) -> str:
    """Make the public subnet of the NAT gateway, where the spec has no reason to name one."""
    zone = network["private"][0]["zone"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock=_UNNAMED, AvailabilityZone=zone)["Subnet"]
    _plant_route(ec2, vpc, [{"id": made["SubnetId"]}], {"GatewayId": gateway})
    return str(made["SubnetId"])


def _plant_route(ec2: Any, vpc: str, subnets_of_it: list[Mapping[str, str]], target: Mapping[str, str]) -> None:
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    if target:
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **target)
    for subnet in subnets_of_it:
        ec2.associate_route_table(RouteTableId=table, SubnetId=subnet["id"])
