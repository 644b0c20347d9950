"""SharedStorage: https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html."""

from __future__ import annotations

import re
from typing import Any

from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs, FileSystem, Lustre, OpenZfs
from trainyard.spec.volume import RootVolume, Volume


def shared_storage(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return the file systems in the order of the spec. Those of FSx have their own stack and outlast the cluster."""
    numbers = dict.fromkeys(("lustre", "openzfs", "efs", "ebs"), 0)
    entries: list[dict[str, Any]] = []
    for file_system in spec.file_systems:
        if file_system.settings.id in (None, "environment"):
            numbers[file_system.kind] += 1
        own_name = spec.parallelcluster.storage_names.get(file_system.mount)
        name = own_name or _free_name(file_system.mount, {entry["Name"] for entry in entries})
        settings = _settings(file_system, numbers[file_system.kind], _key(spec), ids)
        entries.append({"MountDir": file_system.mount, "Name": name, **settings})
    return entries


def _settings(file_system: FileSystem, number: int, key: dict[str, str], ids: Ids) -> dict[str, Any]:
    match file_system.settings:
        case Lustre(id=existing):
            id_ = _counted_id(existing) or ids.of("FSxLustreFilesystemId", number=number)
            return {"StorageType": "FsxLustre", "FsxLustreSettings": {"FileSystemId": id_}}
        case OpenZfs(id=existing):
            id_ = _counted_id(existing) or ids.of("FSxORootVolumeId", number=number)
            return {"StorageType": "FsxOpenZfs", "FsxOpenZfsSettings": {"VolumeId": id_}}
        case Ebs() as ebs:
            return {"StorageType": "Ebs", "EbsSettings": _ebs(ebs, key)}
        case Efs() as efs:
            return {"StorageType": "Efs", "EfsSettings": _efs(efs, key)}


def _counted_id(id_: str | None) -> str | None:
    """Return an id that the spec gives. The file systems of an environment are counted as its stack counts them."""
    return None if id_ == "environment" else id_


def _key(spec: Spec) -> dict[str, str]:
    return {} if spec.iam.kms_key is None else {"KmsKeyId": spec.iam.kms_key}


def _ebs(ebs: Ebs, key: dict[str, str]) -> dict[str, Any]:
    if ebs.id is not None:
        return {"VolumeId": ebs.id}
    own_key = key if ebs.encrypted else {}
    return {"Size": ebs.size_gib, **performance(ebs), **own_key, "DeletionPolicy": ebs.when_deleted}


def _efs(efs: Efs, key: dict[str, str]) -> dict[str, Any]:
    mounting = {"EncryptionInTransit": efs.encryption_in_transit, "IamAuthorization": efs.iam_authorization}
    if efs.id is not None:
        access_point = {} if efs.access_point is None else {"AccessPointId": efs.access_point}
        return {"FileSystemId": efs.id, **access_point, **mounting}
    rate = efs.throughput_mib_s
    return {
        **mounting,
        "Encrypted": True,
        **key,
        "PerformanceMode": efs.performance,
        **({} if rate is None else {"ThroughputMode": "provisioned", "ProvisionedThroughput": rate}),
        "DeletionPolicy": efs.when_deleted,
    }


def _free_name(mount: str, taken: set[str]) -> str:
    """Return a name after the directory, unlike those that are taken, of at most 30 characters, and not "default".

    https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-Name
    """
    plain = re.sub(r"[/.]", "-", mount.strip("/"))
    names = (plain[:30], *(f"{plain[:27]}-{number}" for number in range(2, 100)))
    return next(name for name in names if name not in taken | {"default"})


def root_volume(volume: RootVolume) -> dict[str, Any]:
    """Return the volume that holds the operating system."""
    return {"RootVolume": {"Size": volume.size_gib, **performance(volume)}}


def performance(volume: Volume) -> dict[str, Any]:
    """Return type, speed and encryption of a volume."""
    speed = {"Iops": volume.iops, "Throughput": volume.throughput_mib_s}
    return {
        "VolumeType": volume.type,
        **{key: value for key, value in speed.items() if value is not None},
        "Encrypted": volume.encrypted,
    }
