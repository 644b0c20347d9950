"""An FSx file system."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::FSx::FileSystem"
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


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = {**picked(wanted.properties, *_NAMES), **_configuration(wanted)}
    return _made(aws.client("fsx").create_file_system(**asked, **with_tags(wanted))["FileSystem"])


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change its size and configuration; everything else makes a new one."""
    asked = {**picked(wanted.properties, "StorageCapacity", "StorageType"), **_changed(made, wanted)}
    return _made(aws.client("fsx").update_file_system(FileSystemId=made.id, **asked)["FileSystem"])


def delete(aws: Aws, made: Made) -> None:
    """Delete it, and the data."""
    aws.client("fsx").delete_file_system(FileSystemId=made.id)


def _configuration(wanted: Wanted) -> dict[str, Any]:
    return {
        kind: {name: value for name, value in configuration.items() if name not in _ONLY_IN_TEMPLATES}
        for kind, configuration in picked(wanted.properties, *_KINDS).items()
    }


def _changed(made: Made, wanted: Wanted) -> dict[str, Any]:
    former = made.wanted.properties if made.wanted else {}
    changed: dict[str, Any] = {}
    for kind, configuration in _configuration(wanted).items():
        new = {name: value for name, value in configuration.items() if former.get(kind, {}).get(name) != value}
        changed |= {kind: new} if new else {}
    return changed


def _made(answer: dict[str, Any]) -> Made:
    attributes = {
        "Id": answer["FileSystemId"],
        "DNSName": answer.get("DNSName", ""),
        "ResourceARN": answer["ResourceARN"],
        "LustreMountName": answer.get("LustreConfiguration", {}).get("MountName", ""),
        "RootVolumeId": answer.get("OpenZFSConfiguration", {}).get("RootVolumeId", ""),
    }
    return Made(answer["FileSystemId"], attributes)
