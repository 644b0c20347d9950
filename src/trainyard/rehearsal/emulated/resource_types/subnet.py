"""A subnet."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::Subnet"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and say whether instances get public addresses."""
    ec2 = aws.client("ec2")
    asked = picked(resource.properties, "VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "Ipv6CidrBlock")
    subnet = ec2.create_subnet(**asked, **tag_specifications("subnet", resource))["Subnet"]
    _switch(aws, subnet["SubnetId"], resource)
    attributes = {
        "SubnetId": subnet["SubnetId"],
        "AvailabilityZone": subnet["AvailabilityZone"],
        "AvailabilityZoneId": subnet["AvailabilityZoneId"],
        "CidrBlock": subnet["CidrBlock"],
        "VpcId": subnet["VpcId"],
        "Ipv6CidrBlocks": [],
    }
    return PhysicalResource(subnet["SubnetId"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Say whether instances get public addresses; everything else makes a new one."""
    _switch(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("ec2").delete_subnet(SubnetId=physical.id)


def _switch(aws: Aws, subnet: str, resource: LogicalResource) -> None:
    for name, value in picked(resource.properties, "MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation").items():
        aws.client("ec2").modify_subnet_attribute(SubnetId=subnet, **{name: {"Value": value}})
