"""File systems of another VPC, and volumes of another zone than the instance that attaches them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.file_systems import ExistingFileSystem, existing_file_systems
from trainyard.deploy.account_state.subnets import subnets_by_name, zones_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2, efs
from trainyard.edge.aws.stacks import find_stack
from trainyard.launch.launch import launches
from trainyard.render.networking import one_subnet
from trainyard.render.stand_ins import Ids
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield file systems that nodes cannot reach from where they stand."""
    vpc = _vpc(context)
    for file_system in existing_file_systems(context):
        if file_system.state is None:
            continue  # another preflight's matter
        if file_system.kind == "ebs":
            yield from _volume(context, file_system)
        elif vpc is None:
            message = f"{file_system.id} exists, and its VPC cannot be that of the network which is yet to be made"
            yield Problem(file_system.path, message, "name its VPC in network.existing")
        elif others := _other_vpcs(context, file_system, vpc):
            yield Problem(file_system.path, f"{file_system.id} is in {', '.join(others)}, and the cluster in {vpc}")


def _vpc(context: PreflightContext) -> str | None:
    existing = context.spec.network.existing
    if existing is not None:
        return existing.vpc
    stack = context.ask(find_stack, f"{context.spec.name}-network")
    outputs = {} if stack is None else stack.outputs
    vpcs = [found_subnet["VpcId"] for found_subnet in subnets_by_name(context).values()]
    return context.outputs.get("VpcId") or outputs.get("VpcId") or next(iter(vpcs), None)


def _other_vpcs(context: PreflightContext, file_system: ExistingFileSystem, vpc: str) -> list[str]:
    """Return the VPCs of a file system where the cluster's is not among them. EFS may have mount targets in several."""
    if file_system.kind == "efs":
        vpcs = [target["VpcId"] for target in context.ask(efs.mount_targets, file_system.id) if target.get("VpcId")]
    else:
        vpcs = [file_system.described["VpcId"]] if file_system.described.get("VpcId") else []
    return [] if vpc in vpcs else list(dict.fromkeys(vpcs))


def _volume(context: PreflightContext, file_system: ExistingFileSystem) -> Iterator[Problem]:
    if file_system.path == ("monitoring", "volume_id"):
        who, zones = "monitoring instance", _zones_of_monitoring(context)
    else:
        head = next((launch for launch in launches(context.spec) if launch.role == "head"), None)
        who, zones = "head node", () if head is None else zones_of(context, head)
    zone = file_system.described.get("AvailabilityZone")
    if zones and zone not in (None, *zones):
        message = f"volume {file_system.id} is in {zone}, and the {who} in {zones[0]}"
        yield Problem(file_system.path, message, f"make a snapshot of it and a volume in the zone of the {who}")


def _zones_of_monitoring(context: PreflightContext) -> tuple[str, ...]:
    ids = Ids(context.outputs)
    subnet = one_subnet(context.spec, "private", ids)
    if ids.stand_ins:
        zone = context.spec.network.availability_zone
        return () if zone is None else (zone,)
    return tuple(described["AvailabilityZone"] for described in context.ask(ec2.subnets, (subnet,)).values())


PREFLIGHT = Preflight(
    severity="error",
    title="File system out of reach",
    rationale=(
        "A file system has its interfaces in one VPC, and ParallelCluster mounts none of another one "
        "(ExistingFsxNetworkingValidator). An EBS volume can be attached only in its own zone."
    ),
    remedy="use the VPC of the file system: network.existing",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/shared-storage-config-v3.html",
    permissions=(
        "fsx:DescribeFileSystems",
        "fsx:DescribeVolumes",
        "elasticfilesystem:DescribeFileSystems",
        "elasticfilesystem:DescribeMountTargets",
        "ec2:DescribeVolumes",
        "ec2:DescribeSubnets",
        "cloudformation:DescribeStacks",
    ),
    check=check,
)
