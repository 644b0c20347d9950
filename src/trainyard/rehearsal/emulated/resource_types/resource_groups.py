"""A resource group, such as one of capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    written_properties,
)


def _create_resource_group(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and put its resources into it."""
    groups = aws.client("resource-groups")
    request = written_properties(resource.properties, "Name", "Description", "ResourceQuery", "Configuration")
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    group = groups.create_group(**request, Tags=tags)["Group"]
    if resources := resource.properties.get("Resources"):
        groups.group_resources(Group=group["GroupArn"], ResourceArns=resources)
    return PhysicalResource(group["Name"], {"Arn": group["GroupArn"]})


def _delete_resource_group(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it; what was in it stays."""
    aws.client("resource-groups").delete_group(GroupName=physical.id)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::ResourceGroups::Group": ResourceType(_create_resource_group, _delete_resource_group),
}
