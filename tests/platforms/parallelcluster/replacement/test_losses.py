"""What the second of two clusters would not have."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from trainyard.platforms.parallelcluster.replacement.losses import losses

HOME: dict[str, Any] = {
    "MountDir": "/home",
    "Name": "home",
    "StorageType": "Efs",
    "EfsSettings": {"FileSystemId": "fs-1"},
}
LUSTRE: dict[str, Any] = {"MountDir": "/fsx", "StorageType": "FsxLustre", "FsxLustreSettings": {"FileSystemId": "fs-2"}}
OTHER_LUSTRE: dict[str, Any] = {**LUSTRE, "FsxLustreSettings": {"FileSystemId": "fs-3"}}
ZFS: dict[str, Any] = {"MountDir": "/zfs", "StorageType": "FsxOpenZfs", "FsxOpenZfsSettings": {"VolumeId": "fsvol-1"}}
OWN: dict[str, Any] = {"MountDir": "/scratch", "StorageType": "Ebs", "EbsSettings": {"Size": 100}}
DAEMON: dict[str, Any] = {"ExternalSlurmdbd": {"Host": "dbd.example.com", "Port": 6819}}
OTHER_DAEMON: dict[str, Any] = {"ExternalSlurmdbd": {"Host": "other.example.com", "Port": 6819}}
DATABASE: dict[str, Any] = {"Database": {"Uri": "db.example.com:3306", "UserName": "slurm"}}


def config(*storage: Any, queues: tuple[str, ...] = ("gpu",), **slurm: Any) -> dict[str, Any]:
    scheduling = {"SlurmSettings": slurm or None, "SlurmQueues": [{"Name": name} for name in queues]}
    return {"SharedStorage": list(storage) or None, "Scheduling": scheduling}


@each_case(
    ("former", "successor", "names"),
    [
        (config(HOME), config(HOME), []),
        (config(), config(HOME), ["/home"]),
        (config(HOME, LUSTRE, ZFS), config(ZFS, HOME, LUSTRE), []),
        (config(HOME), config(HOME, LUSTRE), []),
        (config(HOME, LUSTRE), config(HOME), ["/fsx"]),
        (config(HOME, LUSTRE), config(HOME, OTHER_LUSTRE), ["/fsx"]),
        (config(HOME, LUSTRE), config(HOME, {**LUSTRE, "MountDir": "/data"}), ["/fsx"]),
        (config(HOME), config(), ["/home"]),
        (config(HOME, OWN), config(HOME, OWN), ["/scratch"]),
        (config(HOME, queues=("a", "b")), config(HOME, queues=("b", "c")), ["a"]),
        (config(HOME, **DAEMON), config(HOME, **DAEMON), []),
        (config(HOME, **DAEMON), config(HOME, **OTHER_DAEMON), ["accounting"]),
        (config(HOME, **DAEMON), config(HOME), ["accounting"]),
        (config(HOME, **DATABASE), config(HOME, **DATABASE), ["accounting"]),
        (config(HOME, **DATABASE), config(HOME, **DAEMON), ["accounting"]),
        (config(HOME), config(HOME, **DAEMON), []),
    ],
)
def test_what_the_second_cluster_has_not_is_named_once_with_what_to_do(
    former: dict[str, Any], successor: dict[str, Any], names: list[str]
):
    lost = list(losses(former, successor))
    assert [loss.name for loss in lost] == names
    assert all(loss.what and loss.remedy for loss in lost)
