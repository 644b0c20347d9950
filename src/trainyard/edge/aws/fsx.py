"""Amazon FSx: file systems and volumes that exist. Asks only.

https://docs.aws.amazon.com/fsx/latest/APIReference/API_DescribeFileSystems.html
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages


def file_systems(account: Account) -> tuple[dict[str, Any], ...]:
    """Return every file system of the region."""
    return pages(account, "fsx", "describe_file_systems", "FileSystems")


def file_system(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a file system, None where there is none of this id."""
    missing, key = ("FileSystemNotFound",), "FileSystems"
    file_systems = pages(account, "fsx", "describe_file_systems", key, none_if=missing, FileSystemIds=[id_])
    return next(iter(file_systems), None)


def volume(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a volume of FSx for OpenZFS, None where there is none of this id."""
    volumes = pages(account, "fsx", "describe_volumes", "Volumes", none_if=("VolumeNotFound",), VolumeIds=[id_])
    return next(iter(volumes), None)
