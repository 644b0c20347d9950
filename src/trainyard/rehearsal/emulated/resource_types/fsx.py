"""An FSx file system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    with_tags,
    written_properties,
)

_KINDS = ("LustreConfiguration", "OntapConfiguration", "OpenZFSConfiguration", "WindowsConfiguration")
_NAMES = (
    "FileSystemType",
    "FileSystemTypeVersion",
    "KmsKeyId",
    "SecurityGroupIds",
    "StorageCapacity",
    "StorageType",
    "SubnetIds",
)
# Of the configuration of OpenZFS, templates have what the API takes elsewhere.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-fsx-filesystem-openzfsconfiguration.html
_ONLY_IN_TEMPLATES = ("Options",)


def _create_file_system(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    request = {**written_properties(resource.properties, *_NAMES), **_configuration(resource)}
    return _physical_file_system(aws.client("fsx").create_file_system(**request, **with_tags(resource))["FileSystem"])


def _update_file_system(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its size and configuration; everything else makes a new one."""
    request = {
        **written_properties(resource.properties, "StorageCapacity", "StorageType"),
        **_changed(physical, resource),
    }
    return _physical_file_system(
        aws.client("fsx").update_file_system(FileSystemId=physical.id, **request)["FileSystem"]
    )


def _delete_file_system(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, and the data."""
    aws.client("fsx").delete_file_system(FileSystemId=physical.id)


def _configuration(resource: LogicalResource) -> dict[str, Any]:
    return {
        kind: {name: value for name, value in configuration.items() if name not in _ONLY_IN_TEMPLATES}
        for kind, configuration in written_properties(resource.properties, *_KINDS).items()
    }


def _changed(physical: PhysicalResource, resource: LogicalResource) -> dict[str, Any]:
    former = physical.logical.properties if physical.logical else {}
    changed: dict[str, Any] = {}
    for kind, configuration in _configuration(resource).items():
        new = {name: value for name, value in configuration.items() if former.get(kind, {}).get(name) != value}
        changed |= {kind: new} if new else {}
    return changed


def _physical_file_system(answer: dict[str, Any]) -> PhysicalResource:
    attributes = {
        "Id": answer["FileSystemId"],
        "DNSName": answer.get("DNSName", ""),
        "ResourceARN": answer["ResourceARN"],
        "LustreMountName": answer.get("LustreConfiguration", {}).get("MountName", ""),
        "RootVolumeId": answer.get("OpenZFSConfiguration", {}).get("RootVolumeId", ""),
    }
    return PhysicalResource(answer["FileSystemId"], attributes)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::FSx::FileSystem": ResourceType(_create_file_system, _delete_file_system, _update_file_system),
}
