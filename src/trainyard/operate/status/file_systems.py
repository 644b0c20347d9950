"""The file systems of a cluster: what they are, whether they work, and where they are mounted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from trainyard.edge.aws import efs as efs_api
from trainyard.edge.aws import fsx as fsx_api
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import shared_volumes, volumes
from trainyard.operate.status.status_request import StatusRequest
from trainyard.render.tags import CLUSTER

_GIB = 1024**3
_GOOD = {"AVAILABLE", "available", "in-use", "UPDATING", "updating"}
_WORDS = {"LUSTRE": "FSx for Lustre", "OPENZFS": "FSx for OpenZFS", "ONTAP": "FSx for ONTAP"}
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_OWNERS = ("parallelcluster:cluster-name", CLUSTER)


class ConfiguredMount(NamedTuple):
    """What the configuration of a cluster says of a file system."""

    folder: str
    name: str
    id: str | None
    """Of the file system or volume; None where ParallelCluster makes it."""


class FileSystemStatus(NamedTuple):
    """A file system of a cluster."""

    kind: str
    id: str
    state: str
    """As its service says it; MISSING where there is none of this id."""
    size_gib: float | None
    mount: str | None
    """Where nodes have it; None where the configuration does not say."""

    @property
    def works(self) -> bool:
        """Return whether it can be used."""
        return self.state in _GOOD


def ask(
    request: StatusRequest, mounts: Mapping[str, list[ConfiguredMount]], *, with_volumes: bool = False
) -> Callable[[], tuple[FileSystemStatus, ...]]:
    """Begin to ask for the file systems of a cluster, and return a function that waits for all of them.

    ``mounts`` are what its nodes mount, by the service: fsx, efs or ebs.
    """
    kinds = {"FSx": (fsx, "fsx"), "EFS": (efs, "efs"), **({"EBS": (ebs, "ebs")} if with_volumes else {})}
    answers = [
        request.ask(f"file systems of {kind}", partial(look, request.account, request.name, mounts.get(key, [])))
        for kind, (look, key) in kinds.items()
    ]
    return lambda: tuple(system for answer in answers for system in answer() or ())


def fsx(account: Account, name: str, mounts: list[ConfiguredMount]) -> tuple[FileSystemStatus, ...]:
    """Return the FSx file systems of a cluster: those that it mounts, and those that carry its tags."""
    by_id = {
        file_system["FileSystemId"]: FileSystemStatus(
            _WORDS.get(file_system["FileSystemType"], f"FSx ({file_system['FileSystemType']})"),
            file_system["FileSystemId"],
            file_system.get("Lifecycle", "not known"),
            file_system.get("StorageCapacity"),
            mount.folder if mount else None,
        )
        for file_system in fsx_api.file_systems(account)
        if (mount := _mounted(file_system, _fsx_ids(file_system), mounts)) or _owned(file_system, name)
    }
    # Of a volume of OpenZFS nobody says here in which file system it is.
    missing = (mount for mount in mounts if mount.id is not None and mount.id.startswith("fs-"))
    return (*by_id.values(), *_missing("FSx", missing, by_id))


def _fsx_ids(described: Mapping[str, Any]) -> set[str]:
    root = described.get("OpenZFSConfiguration", {}).get("RootVolumeId")
    return {described["FileSystemId"], *([root] if root else [])}


def efs(account: Account, name: str, mounts: list[ConfiguredMount]) -> tuple[FileSystemStatus, ...]:
    """Return the EFS file systems of a cluster: those that it mounts, and those that carry its tags."""
    by_id = {
        file_system["FileSystemId"]: FileSystemStatus(
            "EFS",
            file_system["FileSystemId"],
            file_system["LifeCycleState"],
            round(file_system.get("SizeInBytes", {}).get("Value", 0) / _GIB, 1),
            mount.folder if mount else None,
        )
        for file_system in efs_api.file_systems(account)
        if (mount := _mounted(file_system, {file_system["FileSystemId"]}, mounts)) or _owned(file_system, name)
    }
    return (*by_id.values(), *_missing("EFS", (mount for mount in mounts if mount.id is not None), by_id))


def ebs(account: Account, name: str, mounts: list[ConfiguredMount]) -> tuple[FileSystemStatus, ...]:
    """Return the shared EBS volumes of a cluster: those that it mounts."""
    ids = tuple(mount.id for mount in mounts if mount.id is not None)
    names = [mount.name for mount in mounts if mount.id is None]
    described = [
        *(volumes(account, ids).values() if ids else ()),
        *(shared_volumes(account, name, names) if names else ()),
    ]
    by_id = {
        volume["VolumeId"]: FileSystemStatus(
            "EBS", volume["VolumeId"], volume["State"], volume["Size"], mount.folder if mount else None
        )
        for volume in described
        for mount in [_mounted(volume, {volume["VolumeId"]}, mounts)]
    }
    return (*by_id.values(), *_missing("EBS", (mount for mount in mounts if mount.id is not None), by_id))


def _mounted(described: Mapping[str, Any], ids: set[str], mounts: list[ConfiguredMount]) -> ConfiguredMount | None:
    """Return what is mounted, by its id, or by the name that ParallelCluster gives to what it makes for the cluster."""
    tags = _tags(described)
    for mount in mounts:
        if mount.id in ids or (mount.id is None and tags.get("Name") == mount.name and _OWNERS[0] in tags):
            return mount
    return None


def _owned(described: Mapping[str, Any], name: str) -> bool:
    tags = _tags(described)
    return any(tags.get(owner) == name for owner in _OWNERS)


def _tags(described: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def _missing(
    kind: str, mounts: Iterator[ConfiguredMount], by_id: Mapping[str, FileSystemStatus]
) -> Iterator[FileSystemStatus]:
    for mount in mounts:
        if mount.id is not None and mount.id not in by_id:
            yield FileSystemStatus(kind, mount.id, "MISSING", None, mount.folder)
