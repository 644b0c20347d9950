"""A subnet."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::Subnet"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and say whether instances get public addresses."""
    ec2 = aws.client("ec2")
    asked = picked(wanted.properties, "VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "Ipv6CidrBlock")
    subnet = ec2.create_subnet(**asked, **tag_specifications("subnet", wanted))["Subnet"]
    _switch(aws, subnet["SubnetId"], wanted)
    attributes = {
        "SubnetId": subnet["SubnetId"],
        "AvailabilityZone": subnet["AvailabilityZone"],
        "AvailabilityZoneId": subnet["AvailabilityZoneId"],
        "CidrBlock": subnet["CidrBlock"],
        "VpcId": subnet["VpcId"],
        "Ipv6CidrBlocks": [],
    }
    return Made(subnet["SubnetId"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Say whether instances get public addresses; everything else makes a new one."""
    _switch(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_subnet(SubnetId=made.id)


def _switch(aws: Aws, subnet: str, wanted: Wanted) -> None:
    for name, value in picked(wanted.properties, "MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation").items():
        aws.client("ec2").modify_subnet_attribute(SubnetId=subnet, **{name: {"Value": value}})
