"""The AWS commands that make, or find, what a stand-in stands for. A test holds them against botocore's own models."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from trainyard.spec.file_system import FileSystem, Lustre

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def commands_for(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return shell commands that leave the real value in the variable ``shell_name(stand_in)``."""
    kind = next(kind for kind in sorted(_COMMANDS, key=len, reverse=True) if stand_in.output.startswith(kind))
    return _COMMANDS[kind](spec, stand_in)


def shell_name(stand_in: StandIn) -> str:
    """Return the shell variable for a stand-in, such as PRIMARY_PRIVATE_SUBNET."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", stand_in.output.replace("FSx", "Fsx"))
    return "_".join(word.upper() for word in words)


def _subnets(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    public = "true" if stand_in.output == "PublicSubnet" else "false"
    listed = _aws(
        spec, "ec2 describe-subnets", "--filters", "Name=vpc-id,Values=$VPC_ID",
        f"Name=map-public-ip-on-launch,Values={public}",
        "--query", "Subnets[].[SubnetId,AvailabilityZone]", "--output", "text",
    )  # fmt: skip
    return ["VPC_ID=vpc-…   # your VPC", listed, f"{shell_name(stand_in)}=subnet-…   # one of those"]


def _prefix_list(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    ranges = spec.access.allow_from
    family = "IPv6" if ":" in ranges[0] else "IPv4"
    made = _aws(
        spec, "ec2 create-managed-prefix-list", "--prefix-list-name", f"{spec.name}-ssh", "--address-family", family,
        "--max-entries", str(len(ranges)), "--entries", *(f"Cidr={cidr}" for cidr in ranges),
        "--query", "PrefixList.PrefixListId", "--output", "text",
    )  # fmt: skip
    return [f"{shell_name(stand_in)}=$({made})"]


def _lustre(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    file_system = _nth(spec, "lustre", stand_in)
    assert isinstance(file_system.settings, Lustre)  # noqa: S101  what _nth was asked for
    lustre = file_system.settings
    rate = f",PerUnitStorageThroughput={lustre.throughput_mb_s_per_tib}" if lustre.throughput_mb_s_per_tib else ""
    made = _aws(
        spec, "fsx create-file-system", "--file-system-type", "LUSTRE", "--file-system-type-version", "2.15",
        "--storage-capacity", str(lustre.size_gib), "--subnet-ids", _private_subnet(spec),
        "--security-group-ids", "$LUSTRE_SECURITY_GROUP",
        "--lustre-configuration", f"DeploymentType={lustre.deployment}{rate}",
        "--query", "FileSystem.FileSystemId", "--output", "text",
    )  # fmt: skip
    group = "LUSTRE_SECURITY_GROUP=sg-…   # lets nodes in on TCP 988 and 1018-1023"
    return [group, f"{shell_name(stand_in)}=$({made})", *_data_repository(spec, lustre, stand_in)]


def _data_repository(spec: Spec, lustre: Lustre, stand_in: StandIn) -> Sequence[str]:
    if lustre.data_repository is None:
        return []
    events = "{Events=[NEW,CHANGED,DELETED]}"
    linked = _aws(
        spec, "fsx create-data-repository-association", "--file-system-id", f"${shell_name(stand_in)}",
        "--file-system-path", "/", "--data-repository-path", lustre.data_repository,
        "--batch-import-meta-data-on-create",
        "--s3", f"AutoImportPolicy={events},AutoExportPolicy={events}",
    )  # fmt: skip
    return ["# when the file system is AVAILABLE, which takes about ten minutes:", linked]


def _openzfs(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    size_gib = _nth(spec, "openzfs", stand_in).settings.size_gib
    made = _aws(
        spec, "fsx create-file-system", "--file-system-type", "OPENZFS", "--storage-capacity", str(size_gib),
        "--subnet-ids", _private_subnet(spec),
        "--open-zfs-configuration", "DeploymentType=SINGLE_AZ_1,ThroughputCapacity=128",
        "--query", "FileSystem.OpenZFSConfiguration.RootVolumeId", "--output", "text",
    )  # fmt: skip
    return [f"{shell_name(stand_in)}=$({made})"]


def _remote_write(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    workspace = _aws(spec, "amp create-workspace", "--alias", spec.name, "--query", "arn", "--output", "text")
    statement = {"Effect": "Allow", "Action": "aps:RemoteWrite", "Resource": "ARN_OF_THE_WORKSPACE"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    quoted = shlex.quote(document).replace("ARN_OF_THE_WORKSPACE", "'\"$AMP_WORKSPACE\"'")
    policy = _aws(spec, "iam create-policy", "--policy-name", f"{spec.name}-amp-remote-write", "--policy-document")
    made = f"{policy} {quoted} --query Policy.Arn --output text"
    return [f"AMP_WORKSPACE=$({workspace})", f"{shell_name(stand_in)}=$({made})", *_grafana(spec)]


def _grafana(spec: Spec) -> Sequence[str]:
    if spec.monitoring.mode != "amp+amg":
        return []
    made = _aws(
        spec, "grafana create-workspace", "--workspace-name", spec.name, "--account-access-type", "CURRENT_ACCOUNT",
        "--authentication-providers", "AWS_SSO", "--permission-type", "SERVICE_MANAGED",
        "--workspace-data-sources", "PROMETHEUS", "CLOUDWATCH",
    )  # fmt: skip
    return ["# Grafana; IAM Identity Center must be switched on in the account before:", made]


_COMMANDS: dict[str, Callable[[Spec, StandIn], Sequence[str]]] = {
    "PublicSubnet": _subnets,
    "PrimaryPrivateSubnet": _subnets,
    "PrivateSubnet": _subnets,
    "SSHPrefixList": _prefix_list,
    "FSxLustreFilesystemId": _lustre,
    "FSxORootVolumeId": _openzfs,
    "AMPRemoteWritePolicyArn": _remote_write,
}


def _private_subnet(spec: Spec) -> str:
    existing = spec.network.existing
    return "$PRIMARY_PRIVATE_SUBNET" if existing is None else existing.private_subnets[0]


def _nth(spec: Spec, kind: str, stand_in: StandIn) -> FileSystem:
    made = [one for one in spec.file_systems if one.kind == kind and one.settings.id is None]
    number = re.search(r"\d+$", stand_in.output)
    return made[int(number[0]) - 1 if number else 0]


def _aws(spec: Spec, command: str, *arguments: str) -> str:
    words = ["aws", *command.split(), "--region", spec.region, *arguments]
    return " ".join(f'"{word}"' if word.startswith("$") else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    # The one variable inside a longer word is the VPC, which the user has just set.
    return f'"{word}"' if word.endswith("$VPC_ID") else shlex.quote(word)
