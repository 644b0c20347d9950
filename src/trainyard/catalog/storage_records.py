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
    iops_required: bool | None = None
    """True where AWS makes no volume without a number of IOPS; ParallelCluster has one by default."""
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
    efa_size_steps_gib: dict[str, Positive] = {}
    """By throughput, what sizes with EFA are multiples of; empty where there is no EFA."""
    metadata_iops: tuple[Positive, ...] = ()
    """Metadata IOPS to choose from, and multiples of the last; empty where none may be asked for."""
    most_metadata_iops: Positive | None = None
    """The most metadata IOPS."""

    def metadata_iops_exist(self, iops: int) -> bool:
        """Say whether so many metadata IOPS can be asked for."""
        if iops in self.metadata_iops:
            return True
        most = self.most_metadata_iops
        return most is not None and 0 < iops <= most and iops % self.metadata_iops[-1] == 0

    def nearest_sizes_gib(self, size_gib: int, efa_throughput: int | None = None) -> tuple[int, ...]:
        """Return the sizes just below and above, or the size itself where it exists.

        ``efa_throughput`` is the throughput in MB/s for each TiB of a file system with EFA.
        """
        step = self.efa_size_steps_gib.get(str(efa_throughput), self.size_step_gib)
        smallest = () if str(efa_throughput) in self.efa_size_steps_gib else self.smallest_sizes_gib
        if size_gib in smallest or (size_gib > 0 and size_gib % step == 0):
            return (size_gib,)
        whole_steps = size_gib // step * step
        offered = sorted({*smallest, max(whole_steps, 0), max(whole_steps, 0) + step} - {0})
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
