"""Amazon EFS: file systems that exist, and where they can be mounted. Asks only.

https://docs.aws.amazon.com/efs/latest/ug/API_DescribeMountTargets.html
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client


def file_system(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a file system, None where there is none of this id."""

    def ask() -> dict[str, Any] | None:
        found = client(account, "efs").describe_file_systems(FileSystemId=id_)["FileSystems"]
        return found[0] if found else None

    return answer_or_none(account, "elasticfilesystem:DescribeFileSystems", ask, ("FileSystemNotFound",))


def mount_targets(account: Account, id_: str) -> tuple[dict[str, Any], ...]:
    """Return where a file system can be mounted; nowhere where it does not exist."""

    def ask() -> tuple[dict[str, Any], ...]:
        return tuple(client(account, "efs").describe_mount_targets(FileSystemId=id_)["MountTargets"])

    permission = "elasticfilesystem:DescribeMountTargets"
    return answer_or_none(account, permission, ask, ("FileSystemNotFound",)) or ()


def access_point(account: Account, id_: str) -> dict[str, Any] | None:
    """Return an access point, None where there is none of this id."""

    def ask() -> dict[str, Any] | None:
        found = client(account, "efs").describe_access_points(AccessPointId=id_)["AccessPoints"]
        return found[0] if found else None

    return answer_or_none(account, "elasticfilesystem:DescribeAccessPoints", ask, ("AccessPointNotFound",))
