"""Deletes what holds data, and waits until it is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.kept_data import Kept, Owns, fsx_file_systems
from trainyard.edge.aws.refusals import account_error, code, words
from trainyard.errors import TrainyardError

_POLL_S = 10.0
_POLLS = 180  # half an hour; a large file system takes minutes
_GONE = {
    "FileSystemNotFound",
    "InvalidSnapshot.NotFound",
    "InvalidVolume.NotFound",
    "RepositoryNotFoundException",
    "ResourceNotFoundException",
}
# Something else needs it, or has the say over it, such as AWS Backup over the snapshots that it makes:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
# https://repost.aws/knowledge-center/ebs-resolve-delete-snapshot-issues
_NEEDED_ELSEWHERE = {
    "BadRequest",
    "ConflictException",
    "FileSystemInUse",
    "InvalidParameterValue",
    "InvalidSnapshot.InUse",
    "OperationAbortedException",
    "OperationNotPermitted",
    "VolumeInUse",
}


class NeededElsewhereError(TrainyardError):
    """AWS refuses to delete something that holds data, and will until somebody changes what needs it."""


def delete_data(account: Account, kept: Kept) -> None:
    """Delete it with all that it holds, and wait until it is gone. Raises NeededElsewhereError where AWS refuses."""
    try:
        _DELETE[kept.kind](account, kept.id)
    except ClientError as error:
        if code(error) in _GONE:
            return
        if code(error) in _NEEDED_ELSEWHERE:
            raise NeededElsewhereError(f"AWS refuses to delete it: {words(error)}", where=kept.id) from error
        raise account_error(error, account.region, f"delete {kept}") from error


def await_deletions(account: Account, owns: Owns) -> None:
    """Wait until what is being deleted already is gone: a network cannot be deleted before."""
    for one in fsx_file_systems(account, owns):
        if one["Lifecycle"] == "DELETING":
            _until_fsx_is_gone(account, one["FileSystemId"])


def _delete_fsx(account: Account, file_system: str) -> None:
    client = account.client("fsx")
    kind = client.describe_file_systems(FileSystemIds=[file_system])["FileSystems"][0]["FileSystemType"]
    settings: dict[str, Any] = {"LustreConfiguration": {"SkipFinalBackup": True}}
    if kind == "OPENZFS":
        options = ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]
        settings = {"OpenZFSConfiguration": {"SkipFinalBackup": True, "Options": options}}
    client.delete_file_system(FileSystemId=file_system, **settings)
    _until_fsx_is_gone(account, file_system)


def _until_fsx_is_gone(account: Account, file_system: str) -> None:
    client = account.client("fsx")
    _until_gone(account, file_system, lambda: client.describe_file_systems(FileSystemIds=[file_system])["FileSystems"])


def _delete_efs(account: Account, file_system: str) -> None:
    client = account.client("efs")

    def targets() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.describe_mount_targets(FileSystemId=file_system)["MountTargets"]
        return found

    for target in (one for one in targets() if one["LifeCycleState"] != "deleting"):
        client.delete_mount_target(MountTargetId=target["MountTargetId"])
    _until_gone(account, file_system, targets)
    client.delete_file_system(FileSystemId=file_system)


def _until_gone(account: Account, what: str, look: Callable[[], list[Any]]) -> None:
    for _ in range(_POLLS):
        try:
            if not look():
                return
        except ClientError as error:
            if code(error) in _GONE:
                return
            raise
        account.clock.sleep(_POLL_S)
    raise TrainyardError(f"AWS is still deleting {what}", where=what, hint="run the command again later")


_DELETE: dict[str, Callable[[Account, str], object]] = {
    "fsx": _delete_fsx,
    "efs": _delete_efs,
    "volume": lambda account, volume: account.client("ec2").delete_volume(VolumeId=volume),
    "snapshot": lambda account, snapshot: account.client("ec2").delete_snapshot(SnapshotId=snapshot),
    "prometheus": lambda account, workspace: account.client("amp").delete_workspace(workspaceId=workspace),
    "registry": lambda account, name: account.client("ecr").delete_repository(repositoryName=name, force=True),
    "logs": lambda account, group: account.client("logs").delete_log_group(logGroupName=group),
}
