"""An internet gateway."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::InternetGateway"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it; an attachment puts it to a VPC."""
    answer = aws.client("ec2").create_internet_gateway(**tag_specifications("internet-gateway", wanted))
    gateway = answer["InternetGateway"]["InternetGatewayId"]
    return Made(gateway, {"InternetGatewayId": gateway})


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_internet_gateway(InternetGatewayId=made.id)
