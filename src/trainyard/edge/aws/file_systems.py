"""The file systems of the region as AWS describes them. Asks only."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values, pages

Described = dict[str, Any]


def fsx_file_systems(account: Account) -> tuple[Described, ...]:
    """Return every FSx file system.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html
    """
    return pages(account, "fsx:DescribeFileSystems", "describe_file_systems", "FileSystems")


def efs_file_systems(account: Account) -> tuple[Described, ...]:
    """Return every EFS file system.

    https://docs.aws.amazon.com/efs/latest/ug/API_FileSystemDescription.html
    """
    return pages(account, "elasticfilesystem:DescribeFileSystems", "describe_file_systems", "FileSystems")


def shared_volumes(account: Account, cluster: str, names: Collection[str]) -> tuple[Described, ...]:
    """Return the EBS volumes that ParallelCluster made for a cluster under some names of its shared storage."""
    wanted = [*by_values(**{"tag:Name": names}), *by_values(**{"tag:parallelcluster:cluster-name": (cluster,)})]
    return pages(account, "ec2:DescribeVolumes", "describe_volumes", "Volumes", Filters=wanted)
