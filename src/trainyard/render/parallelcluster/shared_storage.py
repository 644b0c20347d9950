"""SharedStorage: https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trainyard.spec.file_system import Ebs, FileSystem, Lustre, OpenZfs

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec


def shared_storage(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return the file systems in the order of the spec. Those of FSx have their own stack and outlast the cluster."""
    numbers = {"lustre": 0, "openzfs": 0, "ebs": 0}
    entries: list[dict[str, Any]] = []
    for file_system in spec.file_systems:
        if file_system.settings.id is None:
            numbers[file_system.kind] += 1
        name = _free_name(file_system.mount, {entry["Name"] for entry in entries})
        entries.append(_entry(file_system, name, numbers[file_system.kind], ids))
    return entries


def _entry(file_system: FileSystem, name: str, number: int, ids: Ids) -> dict[str, Any]:
    mount = {"MountDir": file_system.mount, "Name": name}
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


def _free_name(mount: str, taken: set[str]) -> str:
    """Return a name after the directory, unlike those that are taken, of at most 30 characters, and not "default".

    https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-Name
    """
    plain = re.sub(r"[/.]", "-", mount.strip("/"))
    names = (plain[:30], *(f"{plain[:27]}-{number}" for number in range(2, 100)))
    return next(name for name in names if name not in taken | {"default"})
