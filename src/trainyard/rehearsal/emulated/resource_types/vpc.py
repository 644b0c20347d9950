"""A VPC, with its default security group and main route table."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::VPC"
_ATTRIBUTES = ("EnableDnsSupport", "EnableDnsHostnames")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and switch its attributes."""
    ec2 = aws.client("ec2")
    asked = picked(resource.properties, "CidrBlock", "InstanceTenancy", "Ipv4IpamPoolId", "Ipv4NetmaskLength")
    vpc = ec2.create_vpc(**asked, **tag_specifications("vpc", resource))["Vpc"]
    _switch(aws, vpc["VpcId"], resource)
    groups = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["SecurityGroups"]
    attributes = {
        "VpcId": vpc["VpcId"],
        "CidrBlock": vpc["CidrBlock"],
        "CidrBlockAssociations": [one["AssociationId"] for one in vpc["CidrBlockAssociationSet"]],
        "DefaultSecurityGroup": groups[0]["GroupId"],
    }
    return PhysicalResource(vpc["VpcId"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Switch its attributes; everything else makes a new one."""
    _switch(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("ec2").delete_vpc(VpcId=physical.id)


def _switch(aws: Aws, vpc: str, resource: LogicalResource) -> None:
    for name, value in picked(resource.properties, *_ATTRIBUTES).items():
        aws.client("ec2").modify_vpc_attribute(VpcId=vpc, **{name: {"Value": value}})
