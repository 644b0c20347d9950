"""A route table."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::RouteTable"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = picked(wanted.properties, "VpcId")
    table = aws.client("ec2").create_route_table(**asked, **tag_specifications("route-table", wanted))["RouteTable"]
    return Made(table["RouteTableId"], {"RouteTableId": table["RouteTableId"]})


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_route_table(RouteTableId=made.id)
