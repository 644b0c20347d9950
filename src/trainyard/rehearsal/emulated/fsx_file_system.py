"""An emulated FSx file system: what DescribeFileSystems says of it, and its network interfaces."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.utils import random_id
from moto.fsx.models import fsx_backends

_CONFIGURATIONS = {"LUSTRE": "LustreConfiguration", "OPENZFS": "OpenZFSConfiguration", "ONTAP": "OntapConfiguration"}
# Scratch file systems of the first kind are all called fsx; the others have a name of eight characters.
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreFileSystemConfiguration.html
_MOUNT_NAME_LENGTH = 8
_BY_DEFAULT = {"LUSTRE": {"DeploymentType": "SCRATCH_1"}, "OPENZFS": {"DeploymentType": "SINGLE_AZ_1"}}


def made_up_id(prefix: str) -> str:
    """Return an id as FSx makes them up: 17 hexadecimal digits."""
    name: str = random_id(prefix)
    return name


class EmulatedFileSystem:
    """A file system in the place of moto's own, which has ``file_system_id``, ``resource_arn`` and ``to_dict`` too."""

    def __init__(self, account_id: str, region: str, request: Mapping[str, Any], name: str) -> None:
        """Make it from the parameters of CreateFileSystem, available at once."""
        self.file_system_id = name
        self.resource_arn = f"arn:aws:fsx:{region}:{account_id}:file-system/{name}"
        self.kind = str(request["FileSystemType"])
        self._account_id = account_id
        self._region = region
        self.described: dict[str, Any] = {
            "OwnerId": account_id,
            "CreationTime": time.time(),
            "FileSystemId": name,
            "FileSystemType": self.kind,
            "Lifecycle": "AVAILABLE",
            "StorageCapacity": request.get("StorageCapacity"),
            "StorageType": request.get("StorageType", "SSD"),
            "VpcId": self._subnets(request)[0].vpc_id,
            "SubnetIds": list(request["SubnetIds"]),
            "NetworkInterfaceIds": self._interfaces(request),
            "DNSName": f"{name}.fsx.{region}.amazonaws.com",
            "KmsKeyId": request.get("KmsKeyId") or f"arn:aws:kms:{region}:{account_id}:alias/aws/fsx",
            "ResourceARN": self.resource_arn,
            "FileSystemTypeVersion": request.get("FileSystemTypeVersion"),
            _CONFIGURATIONS[self.kind]: self._configuration(request),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what DescribeFileSystems says."""
        tags = fsx_backends[self._account_id][self._region].list_tags_for_resource(self.resource_arn)
        return {key: value for key, value in {**self.described, "Tags": tags}.items() if value is not None}

    def change(self, request: Mapping[str, Any]) -> None:
        """Take over the parameters of UpdateFileSystem."""
        configuration = _CONFIGURATIONS[self.kind]
        self.described[configuration] |= request.get(configuration) or {}
        for key in ("StorageCapacity", "StorageType", "FileSystemTypeVersion"):
            self.described[key] = request.get(key) or self.described[key]

    def release(self) -> None:
        """Give the network interfaces back."""
        for interface in self.described["NetworkInterfaceIds"]:
            ec2_backends[self._account_id][self._region].delete_network_interface(interface)

    def _subnets(self, request: Mapping[str, Any]) -> list[Any]:
        return [ec2_backends[self._account_id][self._region].get_subnet(subnet) for subnet in request["SubnetIds"]]

    def _interfaces(self, request: Mapping[str, Any]) -> list[str]:
        backend = ec2_backends[self._account_id][self._region]
        interfaces = [
            backend.create_network_interface(
                subnet,
                [],
                group_ids=request.get("SecurityGroupIds") or None,
                description=f"AWS created network interface for {self.file_system_id}",
            )
            for subnet in self._subnets(request)
        ]
        return [interface.id for interface in interfaces]

    def _configuration(self, request: Mapping[str, Any]) -> dict[str, Any]:
        written = {**_BY_DEFAULT.get(self.kind, {}), **(request.get(_CONFIGURATIONS[self.kind]) or {})}
        if self.kind == "LUSTRE":
            name = "fsx" if written["DeploymentType"] == "SCRATCH_1" else random_id("", _MOUNT_NAME_LENGTH).lstrip("-")
            return {**written, "MountName": name}
        return written
