"""A further block of addresses of a VPC."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::VPCCidrBlock"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Associate it."""
    asked = picked(wanted.properties, "VpcId", "CidrBlock", "AmazonProvidedIpv6CidrBlock", "Ipv6CidrBlock")
    answer = aws.client("ec2").associate_vpc_cidr_block(**asked)
    association = answer.get("CidrBlockAssociation") or answer["Ipv6CidrBlockAssociation"]
    return Made(association["AssociationId"], {"Id": association["AssociationId"]})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    aws.client("ec2").disassociate_vpc_cidr_block(AssociationId=made.id)
