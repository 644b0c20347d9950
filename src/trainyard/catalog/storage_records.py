"""What EBS volume types, FSx for Lustre and FSx for OpenZFS offer, and what ParallelCluster accepts of volumes."""

from __future__ import annotations

from typing import Literal

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


class LustreDeployment(Record):
    """Sizes and throughputs of one deployment type with SSD storage."""

    name: str
    """As the FSx API spells it: PERSISTENT_2."""
    smallest_sizes_gib: tuple[Positive, ...]
    """Sizes below the first whole step, ascending."""
    size_step_gib: Positive
    """Every multiple of this exists as well."""
    throughputs_mb_s_per_tib: tuple[Positive, ...]
    """Throughputs to choose from; empty where none may be given."""

    def size_exists(self, size_gib: int) -> bool:
        """Say whether a file system of this size can be made."""
        return size_gib in self.smallest_sizes_gib or (size_gib > 0 and size_gib % self.size_step_gib == 0)

    def nearest_sizes_gib(self, size_gib: int) -> tuple[int, ...]:
        """Return the sizes just below and above, or the size itself where it exists."""
        if self.size_exists(size_gib):
            return (size_gib,)
        whole_steps = size_gib // self.size_step_gib * self.size_step_gib
        offered = sorted(
            {*self.smallest_sizes_gib, max(whole_steps, 0), max(whole_steps, 0) + self.size_step_gib} - {0}
        )
        below = [size for size in offered if size < size_gib]
        above = [size for size in offered if size > size_gib]
        return (*below[-1:], *above[:1])


DeploymentType = Literal["SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1"]


class OpenZfsDeployment(Record):
    """Size and throughputs of one deployment type with SSD storage."""

    name: DeploymentType
    """As the FSx API spells it: SINGLE_AZ_HA_2."""
    size_gib: tuple[Positive, Positive]
    """Least and most storage."""
    throughputs_mb_s: tuple[Positive, ...]
    """Throughputs to choose from, ascending."""
