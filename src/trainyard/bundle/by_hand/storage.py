"""Making file systems that outlast the cluster, and letting its nodes reach them."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name
from trainyard.spec.file_system import FileSystem, Lustre

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
_LUSTRE_PORTS = ("tcp:988-988", "tcp:1018-1023")
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/limit-access-security-groups.html
_NFS_PORTS = ("tcp:111-111", "udp:111-111", "tcp:2049-2049", "udp:2049-2049", "tcp:20001-20003", "udp:20001-20003")


def lustre(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to make a Lustre file system, wait for it, and link it to its bucket."""
    settings = _nth(spec, "lustre", stand_in).settings
    assert isinstance(settings, Lustre)  # noqa: S101  what _nth was asked for
    rate = f",PerUnitStorageThroughput={settings.throughput_mb_s_per_tib}" if settings.throughput_mb_s_per_tib else ""
    made = aws(
        spec.region, "fsx create-file-system", "--file-system-type", "LUSTRE", "--file-system-type-version", "2.15",
        "--storage-capacity", str(settings.size_gib), "--subnet-ids", _subnet(spec),
        "--security-group-ids", "$LUSTRE_SECURITY_GROUP",
        "--lustre-configuration", f"DeploymentType={settings.deployment}{rate}",
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
    size_gib = _nth(spec, "openzfs", stand_in).settings.size_gib
    # Root of the nodes makes the home directories, so it must stay root.
    exports = "NfsExports=[{ClientConfigurations=[{Clients='*',Options=[rw,crossmnt,no_root_squash]}]}]"
    made = aws(
        spec.region, "fsx create-file-system", "--file-system-type", "OPENZFS", "--storage-capacity", str(size_gib),
        "--subnet-ids", _subnet(spec), "--security-group-ids", "$NFS_SECURITY_GROUP", "--open-zfs-configuration",
        f"DeploymentType=SINGLE_AZ_1,ThroughputCapacity=128,RootVolumeConfiguration={{{exports}}}",
        "--query", "FileSystem.FileSystemId", "--output", "text",
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


def _security_group(spec: Spec, stand_in: StandIn, kind: str, ports: Sequence[str]) -> Iterator[str]:
    """Yield how to make a security group that lets the whole VPC in on some ports."""
    made = aws(
        spec.region, "ec2 create-security-group", "--group-name", f"{spec.name}-{stand_in.output}",
        "--description", f"{kind} of {spec.name}", "--vpc-id", "$VPC_ID", "--query", "GroupId", "--output", "text",
    )  # fmt: skip
    yield assigned(f"{kind}_SECURITY_GROUP", made)
    for port in ports:
        protocol, _, numbers = port.partition(":")
        first, _, last = numbers.partition("-")
        permission = f"IpProtocol={protocol},FromPort={first},ToPort={last},IpRanges=[{{CidrIp=$VPC_RANGE}}]"
        yield aws(
            spec.region, "ec2 authorize-security-group-ingress", "--group-id", f"${kind}_SECURITY_GROUP",
            "--ip-permissions", permission,
        )  # fmt: skip


def _until_available(spec: Spec, variable: str) -> Iterator[str]:
    state = aws(
        spec.region, "fsx describe-file-systems", "--file-system-ids", f"${variable}",
        "--query", "FileSystems[0].Lifecycle", "--output", "text",
    )  # fmt: skip
    yield f"until {state} | grep -qE 'AVAILABLE|FAILED'; do sleep 30; done   # about ten minutes"


def _data_repository(spec: Spec, settings: Lustre, variable: str) -> Iterator[str]:
    if settings.data_repository is not None:
        events = "{Events=[NEW,CHANGED,DELETED]}"
        linked = aws(
            spec.region, "fsx create-data-repository-association", "--file-system-id", f"${variable}",
            "--file-system-path", "/", "--batch-import-meta-data-on-create",
            "--s3", f"AutoImportPolicy={events},AutoExportPolicy={events}",
        )  # fmt: skip
        yield f"{linked} --data-repository-path {shlex.quote(settings.data_repository)}"


def _subnet(spec: Spec) -> str:
    existing = spec.network.existing
    return "$FILE_SYSTEM_SUBNET" if existing is None else existing.private_subnets[0]


def _nth(spec: Spec, kind: str, stand_in: StandIn) -> FileSystem:
    made = [one for one in spec.file_systems if one.kind == kind and one.settings.id is None]
    number = re.search(r"\d+$", stand_in.output)
    return made[int(number[0]) - 1 if number else 0]
