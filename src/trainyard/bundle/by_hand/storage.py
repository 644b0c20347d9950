"""Making file systems that outlast the cluster, and letting its nodes reach them."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, TypeVar

from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name
from trainyard.bundle.by_hand.network import nodes_subnet
from trainyard.bundle.by_hand.security_group import security_group
from trainyard.spec.file_system import Lustre, OpenZfs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec

Kind = TypeVar("Kind", Lustre, OpenZfs)

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
_LUSTRE_PORTS = ("tcp:988-988", "tcp:1018-1023")
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/limit-access-security-groups.html
_NFS_PORTS = ("tcp:111-111", "udp:111-111", "tcp:2049-2049", "udp:2049-2049", "tcp:20001-20003", "udp:20001-20003")
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html
_LEAST_THROUGHPUT_MB_S = {"SINGLE_AZ_1": 64, "SINGLE_AZ_HA_1": 64, "SINGLE_AZ_2": 160, "SINGLE_AZ_HA_2": 160}


def lustre(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to make a Lustre file system, wait for it, and link it to its bucket."""
    settings = _made(spec, stand_in, Lustre)
    made = aws(
        spec.region, "fsx create-file-system", "--file-system-type", "LUSTRE",
        "--file-system-type-version", settings.version,
        "--storage-capacity", str(settings.size_gib), "--subnet-ids", nodes_subnet(spec),
        "--security-group-ids", "$LUSTRE_SECURITY_GROUP",
        "--lustre-configuration", ",".join(_lustre_configuration(settings)),
        *(_key(spec) if _is_persistent(settings) else ()),
        "--query", "FileSystem.FileSystemId", "--output", "text",
    )  # fmt: skip
    name = shell_name(stand_in.output)
    return [
        *_security_group(spec, stand_in, "LUSTRE", _LUSTRE_PORTS),
        assigned(name, made),
        *_until_available(spec, name),
        *_data_repository(spec, settings, name),
    ]


def openzfs(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to make an OpenZFS file system for home directories, and wait for it."""
    settings = _made(spec, stand_in, OpenZfs)
    throughput = settings.throughput_mb_s or _LEAST_THROUGHPUT_MB_S[settings.deployment]
    # Root of the nodes makes the home directories, so it must stay root.
    exports = "NfsExports=[{ClientConfigurations=[{Clients='*',Options=[rw,crossmnt,no_root_squash]}]}]"
    made = aws(
        spec.region, "fsx create-file-system", "--file-system-type", "OPENZFS",
        "--storage-capacity", str(settings.size_gib), "--subnet-ids", nodes_subnet(spec),
        "--security-group-ids", "$NFS_SECURITY_GROUP", "--open-zfs-configuration",
        f"DeploymentType={settings.deployment},ThroughputCapacity={throughput},RootVolumeConfiguration={{{exports}}}",
        *_key(spec), "--query", "FileSystem.FileSystemId", "--output", "text",
    )  # fmt: skip
    volume = aws(
        spec.region, "fsx describe-file-systems", "--file-system-ids", "$OPENZFS_FILE_SYSTEM",
        "--query", "FileSystems[0].OpenZFSConfiguration.RootVolumeId", "--output", "text",
    )  # fmt: skip
    return [
        *_security_group(spec, stand_in, "NFS", _NFS_PORTS),
        assigned("OPENZFS_FILE_SYSTEM", made),
        *_until_available(spec, "OPENZFS_FILE_SYSTEM"),
        assigned(shell_name(stand_in.output), volume),
    ]


def _lustre_configuration(settings: Lustre) -> Iterator[str]:
    yield f"DeploymentType={settings.deployment}"
    if settings.throughput_mb_s_per_tib is not None:
        yield f"PerUnitStorageThroughput={settings.throughput_mb_s_per_tib}"
    yield f"DataCompressionType={settings.compression}"
    if settings.backup_days and _is_persistent(settings):
        yield f"AutomaticBackupRetentionDays={settings.backup_days}"


def _is_persistent(settings: Lustre) -> bool:
    """Return whether it can be backed up, and encrypted with a key of one's own.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
    https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html#FSx-CreateFileSystem-request-KmsKeyId
    """
    return settings.deployment.startswith("PERSISTENT")


def _key(spec: Spec) -> tuple[str, ...]:
    return () if spec.iam.kms_key is None else ("--kms-key-id", spec.iam.kms_key)


def _security_group(spec: Spec, stand_in: StandIn, kind: str, ports: Sequence[str]) -> Iterator[str]:
    return security_group(spec, f"{kind}_SECURITY_GROUP", stand_in.output, ports)


def _until_available(spec: Spec, variable: str) -> Iterator[str]:
    state = aws(
        spec.region, "fsx describe-file-systems", "--file-system-ids", f"${variable}",
        "--query", "FileSystems[0].Lifecycle", "--output", "text",
    )  # fmt: skip
    yield f"until {state} | grep -qE 'AVAILABLE|FAILED'; do sleep 30; done   # about ten minutes"


def _data_repository(spec: Spec, settings: Lustre, variable: str) -> Iterator[str]:
    if settings.data_repository is None:
        return
    policies = {"AutoImportPolicy": settings.auto_import, "AutoExportPolicy": settings.auto_export}
    s3 = ",".join(f"{policy}={{Events=[{','.join(events)}]}}" for policy, events in policies.items() if events)
    linked = aws(
        spec.region, "fsx create-data-repository-association", "--file-system-id", f"${variable}",
        "--file-system-path", "/", "--batch-import-meta-data-on-create", *(("--s3", s3) if s3 else ()),
    )  # fmt: skip
    yield f"{linked} --data-repository-path {shlex.quote(settings.data_repository)}"


def _made(spec: Spec, stand_in: StandIn, kind: type[Kind]) -> Kind:
    """Return the settings of the file system that a stand-in stands for: the n-th of its kind that is to be made."""
    made = [one.settings for one in spec.file_systems if one.settings.id is None]
    of_kind = [settings for settings in made if isinstance(settings, kind)]
    number = re.search(r"\d+$", stand_in.output)
    return of_kind[int(number[0]) - 1 if number else 0]
