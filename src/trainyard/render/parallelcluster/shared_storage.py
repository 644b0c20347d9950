"""SharedStorage: https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.spec.file_system import Ebs, FileSystem, Lustre, OpenZfs

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec


def shared_storage(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return the file systems in the order of the spec. Those of FSx have their own stack and outlast the cluster."""
    numbers = {"lustre": 0, "openzfs": 0, "ebs": 0}
    entries = []
    for file_system in spec.file_systems:
        if file_system.settings.id is None:
            numbers[file_system.kind] += 1
        entries.append(_entry(file_system, numbers[file_system.kind], ids))
    return entries


def _entry(file_system: FileSystem, number: int, ids: Ids) -> dict[str, Any]:
    mount = {"MountDir": file_system.mount, "Name": _name(file_system.mount)}
    match file_system.settings:
        case Lustre(id=existing):
            id_ = existing or ids.of("FSxLustreFilesystemId", number=number)
            return {**mount, "StorageType": "FsxLustre", "FsxLustreSettings": {"FileSystemId": id_}}
        case OpenZfs(id=existing):
            id_ = existing or ids.of("FSxORootVolumeId", number=number)
            return {**mount, "StorageType": "FsxOpenZfs", "FsxOpenZfsSettings": {"VolumeId": id_}}
        case Ebs() as ebs:
            return {**mount, "StorageType": "Ebs", "EbsSettings": _ebs(ebs)}


def _ebs(ebs: Ebs) -> dict[str, Any]:
    if ebs.id is not None:
        return {"VolumeId": ebs.id}
    # Kept when the cluster is deleted: what people installed there is theirs.
    return {"VolumeType": "gp3", "Size": ebs.size_gib, "Encrypted": True, "DeletionPolicy": "Retain"}


def _name(mount: str) -> str:
    # At most 30 characters: https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-Name
    return mount.strip("/").replace("/", "-").replace(".", "-")[:30]
