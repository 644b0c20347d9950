"""Lists that are part of ParallelCluster's own code."""

from __future__ import annotations

from trainyard.record import Record


class VersionLine(Record):
    """What the versions of one line, such as 3.16, have in common."""

    supported_oses: tuple[str, ...]
    """Operating systems with an official image, in ParallelCluster's spelling and order."""
    new_families: tuple[str, ...] = ()
    """Families of instance types that this line is the first to support."""


class ParallelClusterLists(Record):
    """What ParallelCluster supports and refuses."""

    lines: dict[str, VersionLine]
    """Version line, such as 3.16, to its lists."""
    reserved_mounts: tuple[str, ...]
    """Directories that shared storage must not be mounted on, in every line."""
