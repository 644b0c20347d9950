"""A NAT gateway."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::NatGateway"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it in its subnet."""
    asked = picked(wanted.properties, "SubnetId", "AllocationId", "ConnectivityType", "PrivateIpAddress")
    answer = aws.client("ec2").create_nat_gateway(**asked, **tag_specifications("natgateway", wanted))
    gateway = answer["NatGateway"]["NatGatewayId"]
    return Made(gateway, {"NatGatewayId": gateway})


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_nat_gateway(NatGatewayId=made.id)
