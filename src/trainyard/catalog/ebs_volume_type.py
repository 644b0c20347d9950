"""What an EBS volume type offers, and what ParallelCluster accepts of it."""

from __future__ import annotations

from trainyard.field import Positive
from trainyard.record import Record


class EbsLimits(Record):
    """Least and most of what can be asked for. None: it cannot be asked for, or nobody states a limit."""

    size_gib: tuple[Positive, Positive]
    """Size of the volume."""
    iops: tuple[Positive, Positive] | None = None
    """Provisioned IOPS; None where the type takes none."""
    max_iops_per_gib: Positive | None = None
    """Provisioned IOPS for each GiB."""
    throughput_mib_s: tuple[Positive, Positive] | None = None
    """Provisioned throughput; None where the type takes none."""
    max_throughput_mib_s_per_iops: float | None = None
    """Provisioned throughput for each provisioned IOPS."""


class EbsVolumeType(EbsLimits):
    """A volume type: its limits at AWS, and those of ParallelCluster."""

    name: str
    """As the EC2 API spells it: gp3."""
    bootable: bool | None = None
    """False where the volume cannot be a root volume; None where nothing is said against it."""
    parallelcluster: EbsLimits
    """What the validators of ParallelCluster accept, the same in every known version."""
