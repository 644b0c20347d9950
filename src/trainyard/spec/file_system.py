"""File systems that every node mounts."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from trainyard.field import ByShape, NotEmpty, Positive, Whole
from trainyard.finding import Path
from trainyard.record import Record
from trainyard.spec.text import (
    AccessPointId,
    BucketUri,
    DataPath,
    FileSystemId,
    MountDir,
    VolumeId,
    ZfsVolumeId,
)
from trainyard.spec.volume import EbsSize, Volume

# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html#FSx-CreateFileSystem-request-StorageCapacity
ZfsSize = Annotated[int, Whole("64 to 524,288 GiB, as a whole number", least=64, most=524_288)]
EfsThroughput = Annotated[int, Whole("1 to 1,024 MiB/s, as a whole number", least=1, most=1024)]
ReadCacheSize = Annotated[int, Whole("a whole number of GiB, 0 or more", least=0)]
MetadataIops = Annotated[
    Literal["automatic"] | Positive,
    ByShape("automatic, or a number of metadata IOPS such as 12000", scalar=Literal["automatic"] | Positive),
]
BackupDays = Annotated[int, Whole("0 to 90 days, as a whole number", least=0, most=90)]
SharedFileSystemId = Annotated[
    str,
    ByShape(
        "environment, or the id of a file system such as fs-0123456789abcdef0",
        scalar=Literal["environment"] | FileSystemId,
    ),
]
SharedZfsVolumeId = Annotated[
    str,
    ByShape(
        "environment, or the id of an FSx for OpenZFS volume such as fsvol-0123456789abcdef0",
        scalar=Literal["environment"] | ZfsVolumeId,
    ),
]
DEFAULT_DATA_PATH = "/data"
Events = tuple[Literal["NEW", "CHANGED", "DELETED"], ...]


class DataRepository(Record):
    """A bucket or prefix in S3 whose objects appear in a directory of a Lustre file system."""

    uri: BucketUri
    """The bucket or prefix. Nothing is written to it unless auto_export says so."""
    path: DataPath
    """Where its objects appear, below the mount."""
    auto_import: Events = ("NEW", "CHANGED", "DELETED")
    """Which changes in the bucket appear in the file system by themselves."""
    auto_export: Events = ()
    """Which changes below path are written to the bucket by themselves. DELETED deletes objects."""


DataRepositories = Annotated[
    BucketUri | tuple[DataRepository, ...],
    ByShape(
        "a bucket or prefix such as s3://my-bucket/datasets, or a list of mappings with uri and path",
        scalar=BucketUri,
        sequence=Annotated[tuple[DataRepository, ...], NotEmpty("at least one data repository")],
    ),
]


class DataLink(NamedTuple):
    """One link of a Lustre file system to S3, however it was written."""

    uri: str
    directory: str
    """Below the mount."""
    auto_import: Events
    auto_export: Events
    uri_path: Path
    """Where the settings of the file system name the bucket."""
    keys_path: Path
    """Where the other keys of the link stand."""


class IntelligentTiering(Record):
    """Lustre whose storage grows and shrinks with its files, and gets cheaper for those that nobody reads."""

    throughput_mb_s: Positive
    """Throughput in MB/s of all of it: multiples of 4000, which can be added, not taken back."""
    read_cache_gib: ReadCacheSize | None = None
    """Size in GiB of its SSD read cache, 0 for none. By default one in proportion to the throughput."""


class Lustre(Record):
    """Amazon FSx for Lustre: for data sets, models and checkpoints."""

    one_of = (("id", "size_gib", "intelligent_tiering"),)

    id: SharedFileSystemId | None = None
    """A file system that exists: by its id, or environment for the one of the cluster's environment."""
    size_gib: Positive | None = None
    """Size in GiB of one to be made."""
    intelligent_tiering: IntelligentTiering | None = None
    """One to be made without a size: storage by use, behind an SSD cache. Not with a data repository."""
    throughput_mb_s_per_tib: Positive | None = None
    """Throughput in MB/s for each TiB of storage."""
    deployment: Literal["PERSISTENT_2", "PERSISTENT_1", "SCRATCH_2"] = "PERSISTENT_2"
    """Deployment type. Scratch file systems lose data when a server fails."""
    efa: bool = False
    """EFA and GPUDirect Storage, for nodes that configure it; others use TCP. Cannot be changed later, and takes sizes
    in much larger steps."""
    metadata_iops: MetadataIops | None = None
    """Metadata operations a second: automatic, by the size, or 1500, 3000, 6000 or multiples of 12000. They can be
    raised later, but only where some are asked for at first. With efa or intelligent_tiering some are always."""
    version: Literal["2.15", "2.12"] = "2.15"
    """Version of Lustre. Clients of current operating systems want 2.15."""
    compression: Literal["LZ4", "NONE"] = "LZ4"
    """Compress what is written; reading and writing get faster where the data can be compressed."""
    data_repository: DataRepositories | None = None
    """An S3 bucket or prefix whose objects appear as files, or a list of up to eight, each with a path of its own.
    Nothing is written to it unless auto_export says so."""
    data_path: DataPath = DEFAULT_DATA_PATH
    """Where they appear, below the mount: /fsx/data by default. Changing it later unlinks the former directory. In a
    list, each has its own path, auto_import and auto_export."""
    auto_import: Events = ("NEW", "CHANGED", "DELETED")
    """Which changes in the data repository appear in the file system by themselves."""
    auto_export: Events = ()
    """Which changes below data_path are written to the data repository by themselves. DELETED deletes objects."""
    backup_days: BackupDays = 0
    """Days to keep daily backups, 0 for none. Not with a data repository, which is its own backup."""

    @property
    def metadata_iops_or_default(self) -> Literal["automatic"] | int | None:
        """Return what FSx is asked for: EFA needs a metadata configuration, and tiering one that is not automatic."""
        if self.metadata_iops is not None:
            return self.metadata_iops
        if self.intelligent_tiering is not None:
            return 6000
        return "automatic" if self.efa else None

    @property
    def links(self) -> tuple[DataLink, ...]:
        """Return its links to S3."""
        if isinstance(self.data_repository, str):
            link = (self.data_repository, self.data_path, self.auto_import, self.auto_export)
            return (DataLink(*link, ("data_repository",), ()),)
        return tuple(
            DataLink(
                repository.uri,
                repository.path,
                repository.auto_import,
                repository.auto_export,
                ("data_repository", index, "uri"),
                ("data_repository", index),
            )
            for index, repository in enumerate(self.data_repository or ())
        )


class Ebs(Volume):
    """An EBS volume of the head node, shared through NFS. For applications, not for data-intensive work."""

    one_of = (("id", "size_gib"),)

    id: VolumeId | None = None
    """A volume that exists."""
    size_gib: EbsSize | None = None
    """Size in GiB of one to be made."""
    when_deleted: Literal["Retain", "Snapshot", "Delete"] = "Retain"
    """What becomes of the volume when the cluster is deleted. What people installed there is theirs."""


class Efs(Record):
    """Amazon EFS: NFS that grows with its files, in every zone of a region."""

    id: FileSystemId | None = None
    """A file system that exists. Without it, one is made."""
    access_point: AccessPointId | None = None
    """The access point through which nodes mount it. It needs encryption in transit."""
    encryption_in_transit: bool = True
    """Encrypt what goes over the network."""
    iam_authorization: bool = False
    """Mount it with the role of the node. It needs encryption in transit."""
    performance: Literal["generalPurpose", "maxIO"] = "generalPurpose"
    """Performance mode of one to be made."""
    throughput_mib_s: EfsThroughput | None = None
    """Provisioned throughput in MiB/s of one to be made. By default it bursts."""
    when_deleted: Literal["Retain", "Delete"] = "Retain"
    """What becomes of the file system when the cluster is deleted."""


class OpenZfs(Record):
    """Amazon FSx for OpenZFS: for home directories of many users."""

    one_of = (("id", "size_gib"),)

    id: SharedZfsVolumeId | None = None
    """A volume that exists: by its id, or environment for the one of the cluster's environment."""
    size_gib: ZfsSize | None = None
    """Size in GiB of one to be made."""
    throughput_mb_s: Positive | None = None
    """Throughput in MB/s of one to be made. By default the least that the deployment type has."""
    deployment: Literal["SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2"] = "SINGLE_AZ_1"
    """Deployment type. HA has two servers; not every region has every type."""


class FileSystem(Record):
    """One mounted file system of one kind."""

    one_of = (("lustre", "ebs", "efs", "openzfs"),)

    mount: MountDir
    """Where every node mounts it."""
    lustre: Lustre | None = None
    """FSx for Lustre."""
    ebs: Ebs | None = None
    """An EBS volume of the head node."""
    efs: Efs | None = None
    """Amazon EFS."""
    openzfs: OpenZfs | None = None
    """FSx for OpenZFS."""

    @property
    def kind(self) -> str:
        """Return lustre, ebs, efs or openzfs."""
        return next(name for name in self.one_of[0] if getattr(self, name) is not None)

    @property
    def settings(self) -> Lustre | Ebs | Efs | OpenZfs:
        """Return the settings of the one kind that was written."""
        settings: Lustre | Ebs | Efs | OpenZfs = getattr(self, self.kind)
        return settings


class Scratch(Record):
    """The NVMe drives of a node, striped into one local directory. Lost when the node goes."""

    mount: MountDir
    """Where each node mounts its own."""
