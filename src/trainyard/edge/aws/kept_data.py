"""What outlives the stacks that made it because it holds data: file systems, volumes, images, metrics and logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from botocore.exceptions import ClientError, EndpointConnectionError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import DENIED, account_error, code

Owns = Callable[[Mapping[str, str]], bool]

_LOGS = ("/aws/parallelcluster/", "/aws/lambda/pcluster-")
_GIB = 1024**3
# https://docs.aws.amazon.com/efs/latest/ug/API_FileSystemDescription.html
_GOING = {"deleting", "deleted"}


class Kept(NamedTuple):
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


def kept_data(account: Account, name: str, owns: Owns) -> list[Kept]:
    """Return everything of a cluster that holds data: ``owns`` tells by the tags what is its own.

    While the cluster is there, also what its stacks may delete with it, but not what goes with its instances.
    """
    finders = (_fsx, _efs, _volumes, _snapshots, _prometheus)
    try:
        found = [one for finder in finders for one in finder(account, owns)]
        return [*found, *_registries(account, owns, name), *_logs(account, owns, name)]
    except ClientError as error:
        raise account_error(error, account.region, f"look for the data of {name}") from error


def _fsx(account: Account, owns: Owns) -> Iterator[Kept]:
    for one in fsx_file_systems(account, owns):
        if one["Lifecycle"] != "DELETING":
            kind = {"LUSTRE": "FSx for Lustre", "OPENZFS": "FSx for OpenZFS"}[one["FileSystemType"]]
            what = f"{kind} file system of {one['StorageCapacity']:,} GiB"
            yield Kept("fsx", one["FileSystemId"], what, frozenset(one["SubnetIds"]))


def fsx_file_systems(account: Account, owns: Owns) -> Iterator[dict[str, Any]]:
    """Yield the FSx file systems of one's own as AWS describes them, also those that are being deleted."""
    for page in account.client("fsx").get_paginator("describe_file_systems").paginate():
        yield from (one for one in page["FileSystems"] if owns(_tags(one)))


def _efs(account: Account, owns: Owns) -> Iterator[Kept]:
    client = account.client("efs")
    for page in client.get_paginator("describe_file_systems").paginate():
        for one in page["FileSystems"]:
            if owns(_tags(one)) and one["LifeCycleState"] not in _GOING:
                targets = client.describe_mount_targets(FileSystemId=one["FileSystemId"])["MountTargets"]
                subnets = frozenset(target["SubnetId"] for target in targets)
                what = f"EFS file system of {_gib(one['SizeInBytes']['Value'])}"
                yield Kept("efs", one["FileSystemId"], what, subnets)


def _volumes(account: Account, owns: Owns) -> Iterator[Kept]:
    filters = [{"Name": "status", "Values": ["available", "in-use"]}]
    for page in account.client("ec2").get_paginator("describe_volumes").paginate(Filters=filters):
        for one in filter(lambda one: owns(_tags(one)), page["Volumes"]):
            if not any(attached.get("DeleteOnTermination") for attached in one["Attachments"]):
                yield Kept("volume", one["VolumeId"], f"EBS volume of {one['Size']:,} GiB")


def _snapshots(account: Account, owns: Owns) -> Iterator[Kept]:
    for page in account.client("ec2").get_paginator("describe_snapshots").paginate(OwnerIds=["self"]):
        for one in filter(lambda one: owns(_tags(one)), page["Snapshots"]):
            yield Kept("snapshot", one["SnapshotId"], f"EBS snapshot of {one['VolumeSize']:,} GiB")


def _prometheus(account: Account, owns: Owns) -> Iterator[Kept]:
    try:
        pages = list(account.client("amp").get_paginator("list_workspaces").paginate())
    except EndpointConnectionError:  # not every region has it
        return
    for one in (one for page in pages for one in page["workspaces"]):
        if owns(one.get("tags", {})) and one["status"]["statusCode"] != "DELETING":
            yield Kept("prometheus", one["workspaceId"], "Amazon Managed Prometheus workspace with its metrics")


def _registries(account: Account, owns: Owns, name: str) -> Iterator[Kept]:
    """Yield the registries of images that a stack of Batch has left: CloudFormation made up the rest of their names."""
    client = account.client("ecr")
    try:
        pages = list(client.get_paginator("describe_repositories").paginate())
    except ClientError as error:
        if code(error) in DENIED:  # who may not see registries has made no cluster of Batch either
            return
        raise
    for one in (one for page in pages for one in page["repositories"]):
        if one["repositoryName"].startswith(f"{name.lower()}-batch-"):
            tags = client.list_tags_for_resource(resourceArn=one["repositoryArn"])["tags"]
            if owns(_tags({"Tags": tags})):
                yield _registry(client, one["repositoryName"])


def _registry(client: Any, name: str) -> Kept:
    pages = client.get_paginator("describe_images").paginate(repositoryName=name)
    sizes = [image.get("imageSizeInBytes", 0) for page in pages for image in page["imageDetails"]]
    if not sizes:
        return Kept("registry", name, "registry without images", is_empty=True)
    return Kept("registry", name, f"registry with {len(sizes)} image{'s' * (len(sizes) > 1)} of {_gib(sum(sizes))}")


def _logs(account: Account, owns: Owns, name: str) -> Iterator[Kept]:
    """Yield the logs of nodes, of jobs, and of the functions that clean up. Names do not say whose they are."""
    client = account.client("logs")
    for beginning in (*_LOGS, f"{name}-batch-", f"/aws/eks/{name}/"):
        for page in client.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=beginning):
            for one in page["logGroups"]:
                arn = one["arn"].removesuffix(":*")
                if owns(client.list_tags_for_resource(resourceArn=arn)["tags"]):
                    yield Kept("logs", one["logGroupName"], f"logs of {_gib(one.get('storedBytes', 0))}")


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / _GIB:,.1f} GiB"


def _tags(described: dict[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}
