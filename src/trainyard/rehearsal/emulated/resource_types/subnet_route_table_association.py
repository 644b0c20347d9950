"""The route table of a subnet."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::SubnetRouteTableAssociation"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Associate it."""
    asked = picked(wanted.properties, "RouteTableId", "SubnetId")
    association = aws.client("ec2").associate_route_table(**asked)["AssociationId"]
    return Made(association, {"Id": association})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    aws.client("ec2").disassociate_route_table(AssociationId=made.id)
