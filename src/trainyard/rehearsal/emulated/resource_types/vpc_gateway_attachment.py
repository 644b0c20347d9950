"""An internet gateway at a VPC."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::VPCGatewayAttachment"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Attach it."""
    asked = picked(wanted.properties, "InternetGatewayId", "VpcId")
    aws.client("ec2").attach_internet_gateway(**asked)
    return Made(f"IGW|{asked['VpcId']}", {"AttachmentType": "IGW"})


def delete(aws: Aws, made: Made) -> None:
    """Detach it."""
    asked = picked(made.wanted.properties if made.wanted else {}, "InternetGatewayId", "VpcId")
    aws.client("ec2").detach_internet_gateway(**asked)
