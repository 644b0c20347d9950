"""Amazon EFS: file systems that exist, and where they can be mounted. Asks only.

https://docs.aws.amazon.com/efs/latest/ug/API_DescribeMountTargets.html
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages

_NO_FILE_SYSTEM = ("FileSystemNotFound",)


def file_systems(account: Account) -> tuple[dict[str, Any], ...]:
    """Return every file system of the region.

    https://docs.aws.amazon.com/efs/latest/ug/API_FileSystemDescription.html
    """
    return pages(account, "efs", "describe_file_systems", "FileSystems")


def file_system(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a file system, None where there is none of this id."""
    operation, key = "describe_file_systems", "FileSystems"
    file_systems = pages(account, "efs", operation, key, none_if=_NO_FILE_SYSTEM, FileSystemId=id_)
    return next(iter(file_systems), None)


def mount_targets(account: Account, id_: str) -> tuple[dict[str, Any], ...]:
    """Return where a file system can be mounted; nowhere where it does not exist."""
    operation, key = "describe_mount_targets", "MountTargets"
    return pages(account, "efs", operation, key, none_if=_NO_FILE_SYSTEM, FileSystemId=id_)


def access_point(account: Account, id_: str) -> dict[str, Any] | None:
    """Return an access point, None where there is none of this id."""
    operation, missing = "describe_access_points", ("AccessPointNotFound",)
    access_points = pages(account, "efs", operation, "AccessPoints", none_if=missing, AccessPointId=id_)
    return next(iter(access_points), None)
