"""An elastic IP address at an instance or a network interface."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::EIPAssociation"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Associate it."""
    names = ("AllocationId", "InstanceId", "NetworkInterfaceId", "PrivateIpAddress")
    asked = picked(wanted.properties, *names)
    if "EIP" in wanted.properties:
        asked["PublicIp"] = wanted.properties["EIP"]
    association = aws.client("ec2").associate_address(**asked)["AssociationId"]
    return Made(association, {"Id": association})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    aws.client("ec2").disassociate_address(AssociationId=made.id)
