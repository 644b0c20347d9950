"""Amazon FSx: file systems and volumes that exist. Asks only.

https://docs.aws.amazon.com/fsx/latest/APIReference/API_DescribeFileSystems.html
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client


def file_system(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a file system, None where there is none of this id."""

    def ask() -> dict[str, Any] | None:
        found = client(account, "fsx").describe_file_systems(FileSystemIds=[id_])["FileSystems"]
        return found[0] if found else None

    return answer_or_none(account, "fsx:DescribeFileSystems", ask, ("FileSystemNotFound",))


def volume(account: Account, id_: str) -> dict[str, Any] | None:
    """Return a volume of FSx for OpenZFS, None where there is none of this id."""

    def ask() -> dict[str, Any] | None:
        found = client(account, "fsx").describe_volumes(VolumeIds=[id_])["Volumes"]
        return found[0] if found else None

    return answer_or_none(account, "fsx:DescribeVolumes", ask, ("VolumeNotFound",))
