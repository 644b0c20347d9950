"""What outlives the stacks that made it because it holds data: file systems, volumes, snapshots and logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import TrainyardError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from trainyard.edge.aws.account import Account

    Owns = Callable[[Mapping[str, str]], bool]

_POLL_S = 10.0
_POLLS = 180  # half an hour; a large file system takes minutes
_LOGS = "/aws/parallelcluster/"
_FUNCTION_LOGS = "/aws/lambda/pcluster-"
_GONE = {"FileSystemNotFound", "InvalidVolume.NotFound", "InvalidSnapshot.NotFound", "ResourceNotFoundException"}


class Kept(NamedTuple):
    """One thing that holds data."""

    kind: str
    id: str
    what: str
    """What it is, with its size."""
    subnets: frozenset[str] = frozenset()
    """The subnets that it stands in, which cannot be deleted before it."""

    def __str__(self) -> str:
        """Say what it is and which."""
        return f"{self.what} {self.id}"


def kept_data(account: Account, name: str, owns: Owns) -> list[Kept]:
    """Return everything of a cluster that holds data: ``owns`` tells by the tags what is its own; logs by the name."""
    finders = (_fsx, _efs, _volumes, _snapshots)
    try:
        own = [one for finder in finders for one in finder(account, owns)]
        return [*own, *_logs(account, name), *_logs_of_functions(account, owns)]
    except ClientError as error:
        raise account_error(error, account.region, f"look for the data of {name}") from error


def delete_data(account: Account, kept: Kept) -> None:
    """Delete it with all that it holds, and wait until it is gone."""
    try:
        _DELETE[kept.kind](account, kept.id)
    except ClientError as error:
        if code(error) not in _GONE:
            raise account_error(error, account.region, f"delete {kept}") from error


def _fsx(account: Account, owns: Owns) -> Iterator[Kept]:
    for page in account.client("fsx").get_paginator("describe_file_systems").paginate():
        for one in page["FileSystems"]:
            if owns(_tags(one)) and one.get("Lifecycle") != "DELETING":
                kind = {"LUSTRE": "FSx for Lustre", "OPENZFS": "FSx for OpenZFS"}[one["FileSystemType"]]
                what = f"{kind} file system of {one['StorageCapacity']:,} GiB"
                yield Kept("fsx", one["FileSystemId"], what, frozenset(one["SubnetIds"]))


def _efs(account: Account, owns: Owns) -> Iterator[Kept]:
    client = account.client("efs")
    for page in client.get_paginator("describe_file_systems").paginate():
        for one in page["FileSystems"]:
            if owns(_tags(one)):
                targets = client.describe_mount_targets(FileSystemId=one["FileSystemId"])["MountTargets"]
                subnets = frozenset(target["SubnetId"] for target in targets)
                yield Kept("efs", one["FileSystemId"], "EFS file system", subnets)


def _volumes(account: Account, owns: Owns) -> Iterator[Kept]:
    filters = [{"Name": "status", "Values": ["available"]}]
    for page in account.client("ec2").get_paginator("describe_volumes").paginate(Filters=filters):
        for one in filter(lambda one: owns(_tags(one)), page["Volumes"]):
            yield Kept("volume", one["VolumeId"], f"EBS volume of {one['Size']:,} GiB")


def _snapshots(account: Account, owns: Owns) -> Iterator[Kept]:
    for page in account.client("ec2").get_paginator("describe_snapshots").paginate(OwnerIds=["self"]):
        for one in filter(lambda one: owns(_tags(one)), page["Snapshots"]):
            yield Kept("snapshot", one["SnapshotId"], f"EBS snapshot of {one['VolumeSize']:,} GiB")


def _logs(account: Account, name: str) -> Iterator[Kept]:
    # ParallelCluster names them: /aws/parallelcluster/NAME-YYYYMMDDHHMM
    ours = re.compile(rf"{re.escape(_LOGS + name)}-[0-9]{{12}}")
    pages = account.client("logs").get_paginator("describe_log_groups")
    for page in pages.paginate(logGroupNamePrefix=f"{_LOGS}{name}-"):
        for one in page["logGroups"]:
            if ours.fullmatch(one["logGroupName"]):
                yield Kept("logs", one["logGroupName"], "logs")


def _logs_of_functions(account: Account, owns: Owns) -> Iterator[Kept]:
    """Yield the logs of the functions that clean up after a cluster; their names do not say of which."""
    client = account.client("logs")
    for page in client.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=_FUNCTION_LOGS):
        for one in page["logGroups"]:
            arn = one["arn"].removesuffix(":*")
            if owns(client.list_tags_for_resource(resourceArn=arn)["tags"]):
                yield Kept("logs", one["logGroupName"], "logs")


def _tags(described: dict[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def _delete_fsx(account: Account, file_system: str) -> None:
    client = account.client("fsx")
    kind = client.describe_file_systems(FileSystemIds=[file_system])["FileSystems"][0]["FileSystemType"]
    settings: dict[str, Any] = {"LustreConfiguration": {"SkipFinalBackup": True}}
    if kind == "OPENZFS":
        options = ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]
        settings = {"OpenZFSConfiguration": {"SkipFinalBackup": True, "Options": options}}
    client.delete_file_system(FileSystemId=file_system, **settings)
    _until_gone(account, file_system, lambda: client.describe_file_systems(FileSystemIds=[file_system])["FileSystems"])


def _delete_efs(account: Account, file_system: str) -> None:
    client = account.client("efs")

    def targets() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.describe_mount_targets(FileSystemId=file_system)["MountTargets"]
        return found

    for target in targets():
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
    "logs": lambda account, group: account.client("logs").delete_log_group(logGroupName=group),
}
