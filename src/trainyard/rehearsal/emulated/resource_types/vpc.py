"""A VPC, with its default security group and main route table."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::VPC"
_ATTRIBUTES = ("EnableDnsSupport", "EnableDnsHostnames")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and switch its attributes."""
    ec2 = aws.client("ec2")
    asked = picked(wanted.properties, "CidrBlock", "InstanceTenancy", "Ipv4IpamPoolId", "Ipv4NetmaskLength")
    vpc = ec2.create_vpc(**asked, **tag_specifications("vpc", wanted))["Vpc"]
    _switch(aws, vpc["VpcId"], wanted)
    groups = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["SecurityGroups"]
    attributes = {
        "VpcId": vpc["VpcId"],
        "CidrBlock": vpc["CidrBlock"],
        "CidrBlockAssociations": [one["AssociationId"] for one in vpc["CidrBlockAssociationSet"]],
        "DefaultSecurityGroup": groups[0]["GroupId"],
    }
    return Made(vpc["VpcId"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Switch its attributes; everything else makes a new one."""
    _switch(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_vpc(VpcId=made.id)


def _switch(aws: Aws, vpc: str, wanted: Wanted) -> None:
    for name, value in picked(wanted.properties, *_ATTRIBUTES).items():
        aws.client("ec2").modify_vpc_attribute(VpcId=vpc, **{name: {"Value": value}})
