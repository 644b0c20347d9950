"""A network interface."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::NetworkInterface"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it; the groups have another name in templates."""
    asked = picked(wanted.properties, "SubnetId", "PrivateIpAddress", "Description", "InterfaceType")
    if "GroupSet" in wanted.properties:
        asked["Groups"] = wanted.properties["GroupSet"]
    answer = aws.client("ec2").create_network_interface(**asked, **tag_specifications("network-interface", wanted))
    interface = answer["NetworkInterface"]
    attributes = {
        "Id": interface["NetworkInterfaceId"],
        "PrimaryPrivateIpAddress": interface["PrivateIpAddress"],
        "VpcId": interface["VpcId"],
    }
    return Made(interface["NetworkInterfaceId"], attributes)


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_network_interface(NetworkInterfaceId=made.id)
