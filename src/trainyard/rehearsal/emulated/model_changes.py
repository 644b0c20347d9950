"""Changes in place that CloudFormation makes and moto's models of the resources do not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any


def _change_efs(file_system: Any, properties: Mapping[str, Any]) -> None:
    """Take over the throughput; the rest of a file system's properties replaces it, or is kept elsewhere.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-efs-filesystem.html
    """
    file_system.throughput_mode = properties.get("ThroughputMode", "bursting")
    file_system.provisioned_throughput_in_mibps = properties.get("ProvisionedThroughputInMibps", 0)


CHANGES_OF_MODELS: Mapping[str, Callable[[Any, Mapping[str, Any]], None]] = MappingProxyType(
    {"AWS::EFS::FileSystem": _change_efs}
)
"""By type of resource: takes moto's model and the new properties."""
