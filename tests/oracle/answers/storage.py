"""FSx, EFS and S3: whatever is asked for exists, in the VPC, and lets the cluster in. Python 3.9 syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.aws import ACCOUNT_ID, VPC, made_up_id, refusal
from tests.oracle.mentions import at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracle.account import Account

    Answer = dict[str, Any]
    Parameters = Mapping[str, Any]


def fsx_file_systems(account: Account, parameters: Parameters) -> Answer:
    """Describe file systems: those of the config, which are Lustre, and those of its volumes."""
    types = _file_system_types(account)
    unknown = [file_system for file_system in parameters["FileSystemIds"] if file_system not in types]
    if unknown:
        raise refusal("FileSystemNotFound", f"File systems {unknown} do not exist")
    return {"FileSystems": [_file_system(account, one, types[one]) for one in parameters["FileSystemIds"]]}


def fsx_volumes(account: Account, parameters: Parameters) -> Answer:
    """Describe volumes, each on a file system of its own."""
    types = _volume_types(account)
    unknown = [volume for volume in parameters["VolumeIds"] if volume not in types]
    if unknown:
        raise refusal("VolumeNotFound", f"Volumes {unknown} do not exist")
    return {"Volumes": [_volume(volume, types[volume]) for volume in parameters["VolumeIds"]]}


def fsx_file_caches(account: Account, parameters: Parameters) -> Answer:
    """Describe file caches, which are all Lustre."""
    caches = [
        {
            "FileCacheId": cache,
            "FileCacheType": "LUSTRE",
            "LustreConfiguration": {"MountName": "cache"},
            **_place(account, cache),
        }
        for cache in parameters["FileCacheIds"]
    ]
    return {"FileCaches": caches}


def fsx_backups(_account: Account, parameters: Parameters) -> Answer:
    """Every backup exists."""
    return {"Backups": [{"BackupId": backup, "Lifecycle": "AVAILABLE"} for backup in parameters["BackupIds"]]}


def efs_file_systems(_account: Account, parameters: Parameters) -> Answer:
    """Every file system is a regional one, not of one zone."""
    return {"FileSystems": [{"FileSystemId": parameters["FileSystemId"], "LifeCycleState": "available"}]}


def efs_mount_targets(account: Account, parameters: Parameters) -> Answer:
    """Every file system has a mount target in each zone of the cluster."""
    file_system = parameters["FileSystemId"]
    by_zone = {account.zone_of(subnet): subnet for subnet in account.mentions.subnets}
    targets = [
        {"MountTargetId": made_up_id("fsmt", file_system, zone), "FileSystemId": file_system, "SubnetId": subnet}
        for zone, subnet in by_zone.items()
    ]
    return {"MountTargets": targets}


def efs_mount_target_security_groups(_account: Account, parameters: Parameters) -> Answer:
    """Every mount target has a group of its own, which lets the VPC in as every group does."""
    return {"SecurityGroups": [made_up_id("sg", parameters["MountTargetId"])]}


def s3_exists(_account: Account, _parameters: Parameters) -> Answer:
    """Say that a bucket or an object exists and may be read."""
    return {}


def s3_versioning(_account: Account, _parameters: Parameters) -> Answer:
    """Every bucket keeps versions."""
    return {"Status": "Enabled"}


def s3_location(account: Account, _parameters: Parameters) -> Answer:
    """Every bucket is in the cluster's region, which S3 writes as nothing at all for us-east-1."""
    region = account.facts.region
    return {"LocationConstraint": None if region == "us-east-1" else region}


def _volume_types(account: Account) -> dict[str, str]:
    """Return the type of the file system of each volume in the config."""
    settings = {"FsxOpenZfsSettings": "OPENZFS", "FsxOntapSettings": "ONTAP"}
    found = {
        at(storage, section, "VolumeId"): kind
        for storage in account.mentions.shared_storage
        for section, kind in settings.items()
    }
    return {volume: kind for volume, kind in found.items() if volume}


def _file_system_types(account: Account) -> dict[str, str]:
    lustre = (at(storage, "FsxLustreSettings", "FileSystemId") for storage in account.mentions.shared_storage)
    of_volumes = {made_up_id("fs", volume): kind for volume, kind in _volume_types(account).items()}
    return {**{file_system: "LUSTRE" for file_system in lustre if file_system}, **of_volumes}


def _file_system(account: Account, file_system: str, kind: str) -> dict[str, Any]:
    described = {
        "FileSystemId": file_system,
        "FileSystemType": kind,
        "OwnerId": ACCOUNT_ID,
        "Lifecycle": "AVAILABLE",
        "DNSName": f"{file_system}.fsx.{account.facts.region}.amazonaws.com",
        **_place(account, file_system),
    }
    return {**described, "LustreConfiguration": {"MountName": "fsx"}} if kind == "LUSTRE" else described


def _volume(volume: str, kind: str) -> dict[str, Any]:
    path = {
        "OPENZFS": {"OpenZFSConfiguration": {"VolumePath": "/fsx"}},
        "ONTAP": {"OntapConfiguration": {"JunctionPath": "/vol", "StorageVirtualMachineId": made_up_id("svm", volume)}},
    }
    return {"VolumeId": volume, "VolumeType": kind, "FileSystemId": made_up_id("fs", volume), **path[kind]}


def _place(account: Account, storage: str) -> dict[str, Any]:
    """Return the place of a file system: beside the first queue, with one network interface."""
    subnets = account.mentions.queue_subnets or account.mentions.subnets
    return {"VpcId": VPC, "SubnetIds": subnets[:1], "NetworkInterfaceIds": [made_up_id("eni", storage)]}


ANSWERS = {
    "efs.DescribeFileSystems": efs_file_systems,
    "efs.DescribeMountTargetSecurityGroups": efs_mount_target_security_groups,
    "efs.DescribeMountTargets": efs_mount_targets,
    "fsx.DescribeBackups": fsx_backups,
    "fsx.DescribeFileCaches": fsx_file_caches,
    "fsx.DescribeFileSystems": fsx_file_systems,
    "fsx.DescribeVolumes": fsx_volumes,
    "s3.GetBucketLocation": s3_location,
    "s3.GetBucketVersioning": s3_versioning,
    "s3.HeadBucket": s3_exists,
    "s3.HeadObject": s3_exists,
}
