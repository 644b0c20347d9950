"""A route of a route table."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::Route"
_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_TARGETS = (
    "EgressOnlyInternetGatewayId",
    "GatewayId",
    "InstanceId",
    "NatGatewayId",
    "NetworkInterfaceId",
    "TransitGatewayId",
    "VpcEndpointId",
    "VpcPeeringConnectionId",
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = picked(wanted.properties, "RouteTableId", *_DESTINATIONS, *_TARGETS)
    aws.client("ec2").create_route(**asked)
    destination = "".join(picked(asked, *_DESTINATIONS).values())
    return Made(f"{asked['RouteTableId']}|{destination}", {"CidrBlock": destination})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Send it elsewhere."""
    aws.client("ec2").replace_route(**picked(wanted.properties, "RouteTableId", *_DESTINATIONS, *_TARGETS))
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    asked = picked(made.wanted.properties if made.wanted else {}, "RouteTableId", *_DESTINATIONS)
    aws.client("ec2").delete_route(**asked)
