"""What outlives the stacks that made it because it holds data: file systems, volumes, images, metrics and logs.

It is found by its tags, and deleted where that was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from botocore.exceptions import ClientError, EndpointConnectionError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values, call, pages
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.errors import NotAllowedError, aws_errors, code, words
from trainyard.errors import TrainyardError
from trainyard.stop_request import results_of

Owns = Callable[[Mapping[str, str]], bool]
"""Tells by the tags of a thing whether it is one's own."""

_LOGS = ("/aws/parallelcluster/", "/aws/lambda/pcluster-")
# CloudFormation's own tag with the name of a resource in its stack, and that of the volume of self-hosted monitoring.
_LOGICAL_ID = "aws:cloudformation:logical-id"
_MONITORING_VOLUME = "MonitoringVolume"
_GIB = 1024**3
_AT_ONCE = 8
"""Services that are asked side by side."""
# https://docs.aws.amazon.com/efs/latest/ug/API_FileSystemDescription.html
_GOING = {"deleting", "deleted"}
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


class DataStore(NamedTuple):
    """One thing that holds data."""

    kind: str
    id: str
    what: str
    """What it is, with its size."""
    subnets: frozenset[str] = frozenset()
    """The subnets that it stands in, which cannot be deleted before it."""
    is_empty: bool = False
    """Whether there is nothing in it, so that nobody misses it."""

    def __str__(self) -> str:
        """Say what it is and which."""
        return f"{self.what} {self.id}"


class NeededElsewhereError(TrainyardError):
    """AWS refuses to delete something that holds data, and will until somebody changes what needs it."""


def data_stores(account: Account, name: str, owns: Owns, kinds: Collection[str] = ()) -> list[DataStore]:
    """Return everything of a cluster that holds data: ``owns`` tells by the tags what is its own.

    While the cluster is there, also what its stacks may delete with it, but not what goes with its instances.
    With ``kinds``, only what is of one of them.
    """
    search = _Search(account, name, owns, f"look for the data of {name}")
    kinds = kinds or _FINDERS
    finders = dict.fromkeys(finder for kind, finder in _FINDERS.items() if kind in kinds)
    answers = results_of(lambda finder: tuple(finder(search)), finders, _AT_ONCE)
    return [store for answer in answers for store in answer if store.kind in kinds]


def volume_ids(account: Account, owns: Owns) -> list[str]:
    """Return the ids of the volumes whose tags say that they are one's own."""
    volumes = pages(account, "ec2", "describe_volumes", "Volumes")
    return [volume["VolumeId"] for volume in volumes if owns(tags_of(volume))]


def tag_snapshots(account: Account, volumes: Collection[str], tags: Mapping[str, str]) -> list[str]:
    """Tag the snapshots that CloudFormation makes of volumes when it deletes them, and return their ids.

    Nobody says whether they carry any tags, and with these they are found again.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
    """
    if not volumes:
        return []
    place: dict[str, Any] = {"OwnerIds": ["self"], "Filters": by_values(volume_id=volumes)}
    listed = pages(account, "ec2", "describe_snapshots", "Snapshots", **place)
    snapshots = [snapshot["SnapshotId"] for snapshot in listed]
    if snapshots:
        written = [{"Key": key, "Value": value} for key, value in tags.items()]
        call(account, "ec2", "create_tags", Resources=snapshots, Tags=written)
    return snapshots


def delete_data(account: Account, store: DataStore) -> None:
    """Delete it with all that it holds, and wait until it is gone. Raises NeededElsewhereError where AWS refuses."""
    with aws_errors(account.region, f"delete {store}"):
        try:
            _DELETE[store.kind](account, store.id)
        except ClientError as error:
            if code(error) in _NEEDED_ELSEWHERE:
                raise NeededElsewhereError(f"AWS refuses to delete it: {words(error)}", where=store.id) from error
            if code(error) not in _GONE:
                raise


def await_deletions(account: Account, owns: Owns) -> None:
    """Wait until what is being deleted already is gone: a network cannot be deleted before."""
    for file_system in pages(account, "fsx", "describe_file_systems", "FileSystems"):
        if owns(tags_of(file_system)) and file_system["Lifecycle"] == "DELETING":
            _until_fsx_is_gone(account, file_system["FileSystemId"])


class _Search(NamedTuple):
    account: Account
    name: str
    owns: Owns
    doing: str

    def pages(self, service: str, operation: str, key: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        yield from pages(self.account, service, operation, key, doing=self.doing, **parameters)

    def own(self, service: str, operation: str, key: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        listed = self.pages(service, operation, key, **parameters)
        yield from (described for described in listed if self.owns(tags_of(described)))

    def tags(self, service: str, arn: str) -> Any:
        return call(self.account, service, "list_tags_for_resource", doing=self.doing, resourceArn=arn)["tags"]


def _fsx(search: _Search) -> Iterator[DataStore]:
    for file_system in search.own("fsx", "describe_file_systems", "FileSystems"):
        if file_system["Lifecycle"] != "DELETING":
            kind = {"LUSTRE": "FSx for Lustre", "OPENZFS": "FSx for OpenZFS"}[file_system["FileSystemType"]]
            # One with Intelligent-Tiering has the size of its files, which this call does not say.
            size_gib = file_system.get("StorageCapacity")
            what = f"{kind} file system" + (f" of {size_gib:,} GiB" if size_gib else ", as large as its files")
            yield DataStore("fsx", file_system["FileSystemId"], what, frozenset(file_system["SubnetIds"]))


def _efs(search: _Search) -> Iterator[DataStore]:
    for file_system in search.own("efs", "describe_file_systems", "FileSystems"):
        if file_system["LifeCycleState"] not in _GOING:
            id_ = file_system["FileSystemId"]
            targets = search.pages("efs", "describe_mount_targets", "MountTargets", FileSystemId=id_)
            subnets = frozenset(target["SubnetId"] for target in targets)
            yield DataStore("efs", id_, f"EFS file system of {_gib(file_system['SizeInBytes']['Value'])}", subnets)


def _volumes(search: _Search) -> Iterator[DataStore]:
    """Yield volumes, those that stacks of self-hosted monitoring have made as a kind of their own."""
    filters = by_values(status=("available", "in-use"))
    for volume in search.own("ec2", "describe_volumes", "Volumes", Filters=filters):
        if not any(attached.get("DeleteOnTermination") for attached in volume["Attachments"]):
            what = f"EBS volume of {volume['Size']:,} GiB"
            is_monitoring = tags_of(volume).get(_LOGICAL_ID) == _MONITORING_VOLUME
            more = " with metrics and the database of Grafana" if is_monitoring else ""
            kind = "monitoring-volume" if is_monitoring else "volume"
            yield DataStore(kind, volume["VolumeId"], f"{what}{more}")


def _snapshots(search: _Search) -> Iterator[DataStore]:
    for snapshot in search.own("ec2", "describe_snapshots", "Snapshots", OwnerIds=["self"]):
        yield DataStore("snapshot", snapshot["SnapshotId"], f"EBS snapshot of {snapshot['VolumeSize']:,} GiB")


def _prometheus(search: _Search) -> Iterator[DataStore]:
    try:
        workspaces = list(search.pages("amp", "list_workspaces", "workspaces"))
    except TrainyardError as error:
        if isinstance(error.__cause__, EndpointConnectionError):  # not every region has it
            return
        raise
    for workspace in workspaces:
        if search.owns(workspace.get("tags", {})) and workspace["status"]["statusCode"] != "DELETING":
            yield DataStore(
                "prometheus", workspace["workspaceId"], "Amazon Managed Prometheus workspace with its metrics"
            )


def _registries(search: _Search) -> Iterator[DataStore]:
    """Yield the registries of images that a stack of Batch has left: CloudFormation made up the rest of their names."""
    try:
        repositories = list(search.pages("ecr", "describe_repositories", "repositories"))
    except NotAllowedError:  # who may not see registries has made no cluster of Batch either
        return
    for repository in repositories:
        name = repository["repositoryName"]
        if name.startswith(f"{search.name.lower()}-batch-"):
            tags = search.tags("ecr", repository["repositoryArn"])
            if search.owns(tags_of({"Tags": tags})):
                yield _registry(search, name)


def _registry(search: _Search, name: str) -> DataStore:
    images = search.pages("ecr", "describe_images", "imageDetails", repositoryName=name)
    sizes = [image.get("imageSizeInBytes", 0) for image in images]
    if not sizes:
        return DataStore("registry", name, "registry without images", is_empty=True)
    return DataStore(
        "registry", name, f"registry with {len(sizes)} image{'s' * (len(sizes) > 1)} of {_gib(sum(sizes))}"
    )


def _logs(search: _Search) -> Iterator[DataStore]:
    """Yield the logs of nodes, of jobs, and of the functions that clean up. Names do not say whose they are."""
    for beginning in (*_LOGS, f"{search.name}-batch-", f"/aws/eks/{search.name}/"):
        for group in search.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=beginning):
            if search.owns(search.tags("logs", group["arn"].removesuffix(":*"))):
                yield DataStore("logs", group["logGroupName"], f"logs of {_gib(group.get('storedBytes', 0))}")


_FINDERS: Mapping[str, Callable[[_Search], Iterator[DataStore]]] = {
    "fsx": _fsx,
    "efs": _efs,
    "volume": _volumes,
    "monitoring-volume": _volumes,
    "snapshot": _snapshots,
    "prometheus": _prometheus,
    "registry": _registries,
    "logs": _logs,
}


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / _GIB:,.1f} GiB"


def _delete_volume(account: Account, volume: str) -> None:
    account.client("ec2").delete_volume(VolumeId=volume)


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
        return list(client.describe_mount_targets(FileSystemId=file_system)["MountTargets"])

    for target in (target for target in targets() if target["LifeCycleState"] != "deleting"):
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
    "volume": _delete_volume,
    "monitoring-volume": _delete_volume,
    "snapshot": lambda account, snapshot: account.client("ec2").delete_snapshot(SnapshotId=snapshot),
    "prometheus": lambda account, workspace: account.client("amp").delete_workspace(workspaceId=workspace),
    "registry": lambda account, name: account.client("ecr").delete_repository(repositoryName=name, force=True),
    "logs": lambda account, group: account.client("logs").delete_log_group(logGroupName=group),
}
