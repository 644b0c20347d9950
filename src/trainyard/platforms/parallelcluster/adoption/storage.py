"""The file systems of a configuration of ParallelCluster as plain data of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.plain_data import at, mappings, present, with_new_keys

_EBS = {
    "Size": "size_gib",
    "VolumeType": "type",
    "Iops": "iops",
    "Throughput": "throughput_mib_s",
    "Encrypted": "encrypted",
}
_EFS = {
    "FileSystemId": "id",
    "AccessPointId": "access_point",
    "EncryptionInTransit": "encryption_in_transit",
    "IamAuthorization": "iam_authorization",
}


def file_systems(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the file systems that a spec has keys for.

    An FSx file system of ParallelCluster's own making is none of them: a spec makes those in a stack beside the
    cluster, and to ParallelCluster that is another file system.
    """
    entries = ({"mount": storage.get("MountDir"), **_kind(storage)} for storage in mappings(config, "SharedStorage"))
    return [entry for entry in entries if len(entry) > 1]


def storage_names(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of entries that are not called after their mount."""
    names = ((str(storage.get("MountDir")), storage.get("Name")) for storage in _adoptable(config))
    return {mount: name for mount, name in names if name != mount.strip("/").replace("/", "-").replace(".", "-")}


def _adoptable(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (storage for storage in mappings(config, "SharedStorage") if _kind(storage))


def _kind(storage: Mapping[str, Any]) -> dict[str, Any]:
    match storage.get("StorageType"):
        case "FsxLustre" if id_ := at(storage, "FsxLustreSettings", "FileSystemId"):
            return {"lustre": {"id": id_}}
        case "FsxOpenZfs" if id_ := at(storage, "FsxOpenZfsSettings", "VolumeId"):
            return {"openzfs": {"id": id_}}
        case "Efs" if at(storage, "EfsSettings", "FileSystemId"):
            return {"efs": with_new_keys(at(storage, "EfsSettings"), _EFS)}
        case "Ebs" if id_ := at(storage, "EbsSettings", "VolumeId"):
            return {"ebs": {"id": id_}}
        case "Ebs" if at(storage, "EbsSettings", "Size"):
            settings = at(storage, "EbsSettings")
            # https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-EbsSettings-DeletionPolicy
            when_deleted = settings.get("DeletionPolicy", "Delete")
            return {"ebs": present(**with_new_keys(settings, _EBS), when_deleted=when_deleted)}
    return {}
