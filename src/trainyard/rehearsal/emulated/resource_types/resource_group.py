"""A resource group, such as one of capacity reservations."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::ResourceGroups::Group"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and put its resources into it."""
    groups = aws.client("resource-groups")
    asked = picked(wanted.properties, "Name", "Description", "ResourceQuery", "Configuration")
    tags = {tag["Key"]: tag["Value"] for tag in wanted.tags()}
    group = groups.create_group(**asked, Tags=tags)["Group"]
    if resources := wanted.properties.get("Resources"):
        groups.group_resources(Group=group["GroupArn"], ResourceArns=resources)
    return Made(group["Name"], {"Arn": group["GroupArn"]})


def delete(aws: Aws, made: Made) -> None:
    """Delete it; what was in it stays."""
    aws.client("resource-groups").delete_group(GroupName=made.id)
