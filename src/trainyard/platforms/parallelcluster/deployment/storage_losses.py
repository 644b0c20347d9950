"""File systems of ParallelCluster's own that an update takes out of the cluster's stack, with their data.

https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainyard.deploy.stack_change import StackChange
from trainyard.edge.aws.change_sets import Fate, Leaves
from trainyard.edge.pcluster_answers import ClassifiedChange

_TYPES = {"Ebs": "AWS::EC2::Volume", "Efs": "AWS::EFS::FileSystem", "FsxLustre": "AWS::FSx::FileSystem"}
# By DeletionPolicy, of which Delete is the default.
_LEAVES: Mapping[str, Leaves] = {"Retain": "resource", "Snapshot": "snapshot", "Delete": "nothing"}
# What only is mounted belongs to somebody else, our own stacks for instance.
_MOUNTED = ("VolumeId", "FileSystemId")


def storage_losses(cluster: str, classified: Sequence[ClassifiedChange]) -> Iterator[StackChange]:
    """Yield what becomes of the file systems that go; one whose name changes goes, too, and an empty one comes."""
    for change in classified:
        if change.path[-1] != "SharedStorage" or change.requested is not None:
            continue
        entry: dict[str, Any] = change.current
        kind = entry["StorageType"]
        settings = entry.get(f"{kind}Settings") or {}
        if kind not in _TYPES or any(key in settings for key in _MOUNTED):
            continue
        leaves = _LEAVES[settings.get("DeletionPolicy", "Delete")]
        fate: Fate = "left behind" if leaves == "resource" else "deleted"
        what = f"{kind} of ParallelCluster at {entry['MountDir']}"
        yield StackChange(
            cluster, entry["Name"], _TYPES[kind], "", fate, is_certain=True, leaves=leaves, holds="data", what=what
        )
