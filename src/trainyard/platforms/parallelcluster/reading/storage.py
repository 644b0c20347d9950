"""The file systems of a configuration of ParallelCluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.platforms.parallelcluster.reading.draft import Draft
from trainyard.rules.documents import mapping_in
from trainyard.rules.parallelcluster.config import mappings_in
from trainyard.rules.parallelcluster.placeholders import placeholder_in

_LUSTRE = {"StorageCapacity": "size_gib", "PerUnitStorageThroughput": "throughput_mb_s_per_tib",
           "AutomaticBackupRetentionDays": "backup_days"}  # fmt: skip
_EBS = {"Size": "size_gib", "VolumeType": "type", "Iops": "iops", "Throughput": "throughput_mib_s",
        "Encrypted": "encrypted"}  # fmt: skip
_IDS = {
    "FsxLustre": ("lustre", "FsxLustreSettings", "FileSystemId", "fs-00000000"),
    "FsxOpenZfs": ("openzfs", "FsxOpenZfsSettings", "VolumeId", "fsvol-00000000"),
    "Efs": ("efs", "EfsSettings", "FileSystemId", "fs-00000000"),
    "Ebs": ("ebs", "EbsSettings", "VolumeId", "vol-00000000"),
}


def read_storage(draft: Draft, document: Document) -> None:
    """Add the file systems of the kinds that a spec has too."""
    index = 0
    draft.place(("file_systems",), ("SharedStorage",))
    for place, storage in mappings_in(document.value.get("SharedStorage"), ("SharedStorage",)):
        mount = storage.get("MountDir")
        is_known = isinstance(kind := storage.get("StorageType"), str) and kind in _IDS
        if not is_known or not isinstance(mount, str) or placeholder_in(mount) is not None:
            continue
        path = ("file_systems", index)
        draft.place(path, place)
        draft.put((*path, "mount"), (*place, "MountDir"), "/" + mount.strip("/"))
        _read_settings(draft, path, place, storage)
        index += 1


def _read_settings(draft: Draft, path: Path, place: Path, storage: Mapping[str, Any]) -> None:
    kind, section, id_key, stand_in = _IDS[storage["StorageType"]]
    settings = mapping_in(storage, section)
    path, place = (*path, kind), (*place, section)
    draft.place(path, place)
    if kind == "lustre" and id_key not in settings and _is_modelled(settings):
        # https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-FsxLustreSettings-DeploymentType
        draft.put((*path, "deployment"), (*place, "DeploymentType"), settings.get("DeploymentType", "SCRATCH_2"))
        _read_keys(draft, path, place, settings, _LUSTRE)
    elif kind == "ebs" and id_key not in settings and "SnapshotId" not in settings:
        _read_keys(draft, path, place, {"Size": 35, **settings}, _EBS)
    elif kind == "efs" and id_key not in settings:
        draft.put(
            (*path, "encryption_in_transit"), (*place, "EncryptionInTransit"), _is_true(settings, "EncryptionInTransit")
        )
        draft.put((*path, "iam_authorization"), (*place, "IamAuthorization"), _is_true(settings, "IamAuthorization"))
    else:
        draft.stand((*path, "id"), stand_in)
        draft.unknown.add((*path, "id"))


def _is_modelled(settings: Mapping[str, Any]) -> bool:
    """Return whether a spec knows such a Lustre: with SSDs, of a deployment type that is still offered."""
    capacity = settings.get("StorageCapacity")
    return (
        isinstance(capacity, int)
        and settings.get("DeploymentType", "SCRATCH_2") in ("SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2")
        and settings.get("StorageType", "SSD") == "SSD"
        and "BackupId" not in settings
        and placeholder_in(settings.get("PerUnitStorageThroughput")) is None
    )


def _read_keys(draft: Draft, path: Path, place: Path, settings: Mapping[str, Any], names: Mapping[str, str]) -> None:
    for key, name in names.items():
        if key in settings:
            draft.put((*path, name), (*place, key), settings[key])
        elif name == "throughput_mb_s_per_tib":
            draft.place((*path, name), (*place, key))


def _is_true(settings: Mapping[str, Any], key: str) -> bool:
    return settings.get(key) is True
