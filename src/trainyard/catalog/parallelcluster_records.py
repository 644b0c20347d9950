"""What ParallelCluster supports, accepts and refuses, as its own code says. None means that there is no such limit."""

from __future__ import annotations

from typing import Literal

from trainyard.field import Count, Positive
from trainyard.record import Record


class Limits(Record):
    """Counts, lengths and lists that the schema and the validators of ParallelCluster check."""

    max_cluster_name_with_accounting: Positive
    """Characters of the cluster's name with Slurm accounting, whose tables are named after the cluster."""
    slurmdbd_is_accounting: bool
    """Whether the shorter limit also holds for accounting with an external slurmdbd."""
    forbidden_names: tuple[str, ...]
    """Names that no queue, compute resource, login pool or shared file system may have."""
    max_queues: Positive
    """Queues of a cluster."""
    max_compute_resources: Positive
    """Compute resources of all queues together."""
    max_compute_resources_per_queue: Positive
    """Compute resources of one queue."""
    max_nodes: Positive
    """Nodes of one compute resource."""
    max_login_pools: Positive | None = None
    """Pools of login nodes."""
    max_tags: Positive
    """Different tag keys of cluster, queue and compute resource together."""
    max_ebs: Positive
    """Shared EBS volumes, apart from a RAID."""
    max_new_efs: Positive
    """EFS file systems that ParallelCluster makes."""
    max_existing_efs: Positive
    """EFS file systems that exist."""
    max_existing_fsx: Positive
    """FSx file systems, volumes and file caches that exist."""
    log_retention_days: tuple[Count, ...]
    """Days for which logs may be kept; 0 is for ever."""
    default_bootstrap_timeout_s: Positive
    """How long a node may take to start where the configuration says nothing."""
    dcv_unsupported_oses: dict[Literal["x86_64", "arm64"], tuple[str, ...]]
    """Architecture to the operating systems with which DCV is refused."""
    unsupported_oses: dict[str, tuple[str, ...]]
    """Family of instance types to the operating systems with which it is refused."""


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


class ImageVersion(Record):
    """A release of ParallelCluster whose images have another version of a component than those before."""

    version: str
    """What its images have."""
    former: str | None = None
    """What the images of the release before have."""


class RefusedSlurmSettings(Record):
    """Names of settings in lower case, by the place where they are refused."""

    cluster: tuple[str, ...]
    """In slurm.conf, for the whole cluster."""
    accounting: tuple[str, ...]
    """In slurm.conf, for a cluster with accounting."""
    queue: tuple[str, ...]
    """Of a queue."""
    compute_resource: tuple[str, ...]
    """Of a compute resource."""
