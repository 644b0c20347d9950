"""File systems that every node mounts."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Whole
from trainyard.record import Record
from trainyard.spec.text import BucketUri, FileSystemId, MountDir, VolumeId, ZfsVolumeId

# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html#FSx-CreateFileSystem-request-StorageCapacity
ZfsSize = Annotated[int, Whole("64 to 524,288 GiB, as a whole number", least=64, most=524_288)]
# The largest that EBS has: https://docs.aws.amazon.com/ebs/latest/userguide/volume_constraints.html
EbsSize = Annotated[int, Whole("1 to 65,536 GiB, as a whole number", least=1, most=65_536)]


class Lustre(Record):
    """Amazon FSx for Lustre: for data sets, models and checkpoints."""

    one_of = (("id", "size_gib"),)

    id: FileSystemId | None = None
    """A file system that exists."""
    size_gib: Positive | None = None
    """Size in GiB of one to be made."""
    throughput_mb_s_per_tib: Positive | None = None
    """Throughput in MB/s for each TiB of storage."""
    deployment: Literal["PERSISTENT_2", "PERSISTENT_1", "SCRATCH_2"] = "PERSISTENT_2"
    """Deployment type. Scratch file systems lose data when a server fails."""
    data_repository: BucketUri | None = None
    """An S3 bucket or prefix whose objects appear as files, and that new files are exported to."""


class Ebs(Record):
    """An EBS volume of the head node, shared through NFS. For applications, not for data-intensive work."""

    one_of = (("id", "size_gib"),)

    id: VolumeId | None = None
    """A volume that exists."""
    size_gib: EbsSize | None = None
    """Size in GiB of one to be made."""


class OpenZfs(Record):
    """Amazon FSx for OpenZFS: for home directories of many users."""

    one_of = (("id", "size_gib"),)

    id: ZfsVolumeId | None = None
    """A volume that exists."""
    size_gib: ZfsSize | None = None
    """Size in GiB of one to be made."""


class FileSystem(Record):
    """One mounted file system of one kind."""

    one_of = (("lustre", "ebs", "openzfs"),)

    mount: MountDir
    """Where every node mounts it."""
    lustre: Lustre | None = None
    """FSx for Lustre."""
    ebs: Ebs | None = None
    """An EBS volume of the head node."""
    openzfs: OpenZfs | None = None
    """FSx for OpenZFS."""

    @property
    def kind(self) -> str:
        """Return lustre, ebs or openzfs."""
        return next(name for name in self.one_of[0] if getattr(self, name) is not None)

    @property
    def settings(self) -> Lustre | Ebs | OpenZfs:
        """Return the settings of the one kind that was written."""
        settings: Lustre | Ebs | OpenZfs = getattr(self, self.kind)
        return settings


class Scratch(Record):
    """The NVMe drives of a node, striped into one local directory. Lost when the node goes."""

    mount: MountDir
    """Where each node mounts its own."""
