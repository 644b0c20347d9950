"""File systems and volumes that are named by an id, and are not there or not ready."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.file_systems import ExistingFileSystem, existing_file_systems
from trainyard.deploy.account_state.instances import own_instances
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import efs
from trainyard.rules import Problem

_NAMES = {"lustre": "FSx for Lustre file system", "openzfs": "FSx for OpenZFS volume", "efs": "EFS file system",
          "ebs": "EBS volume"}  # fmt: skip
# An FSx file system that is being updated serves as before; a volume of OpenZFS says created or available.
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_Volume.html
_READY = {"available", "updating", "created"}


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield file systems that nodes could not mount."""
    for file_system in existing_file_systems(context):
        name = f"{_NAMES[file_system.kind]} {file_system.id}"
        if file_system.state is None:
            yield Problem(file_system.path, f"account {context.account.id} has no {name} in {context.spec.region}")
        elif file_system.kind == "lustre" and file_system.described.get("FileSystemType", "LUSTRE") != "LUSTRE":
            yield Problem(
                file_system.path, f"{file_system.id} is of type {file_system.described['FileSystemType']}, not Lustre"
            )
        elif file_system.state not in _READY and not _is_ours(context, file_system):
            yield Problem(
                file_system.path, f"{name} is {file_system.state}, not available", "wait for it, or name another one"
            )
    yield from _access_points(context)


def _is_ours(context: PreflightContext, file_system: ExistingFileSystem) -> bool:
    """Return whether a volume is in use by the head node or the monitoring instance of this very cluster."""
    attached = {attachment.get("InstanceId") for attachment in file_system.described.get("Attachments", ())}
    if context.outputs.get("MonitoringInstanceId") in attached:
        return True
    return any(instance["InstanceId"] in attached for instance in own_instances(context)) if attached else False


def _access_points(context: PreflightContext) -> Iterator[Problem]:
    for index, file_system in enumerate(context.spec.file_systems):
        settings = file_system.efs
        if settings is None or settings.access_point is None:
            continue
        access_point = context.ask(efs.access_point, settings.access_point)
        path = ("file_systems", index, "efs", "access_point")
        if access_point is None:
            yield Problem(path, f"there is no access point {settings.access_point}")
        elif settings.id is not None and access_point.get("FileSystemId") != settings.id:
            yield Problem(
                path, f"access point {settings.access_point} is of {access_point['FileSystemId']}, not {settings.id}"
            )


PREFLIGHT = Preflight(
    severity="error",
    title="File system that cannot be mounted",
    rationale=(
        "Nodes mount every file system when they start, and one that is not there fails them all. A volume that "
        "something else has attached cannot be attached to the head node."
    ),
    remedy="name one of this account and region that is available",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    permissions=(
        "fsx:DescribeFileSystems",
        "fsx:DescribeVolumes",
        "elasticfilesystem:DescribeFileSystems",
        "elasticfilesystem:DescribeAccessPoints",
        "ec2:DescribeVolumes",
        "ec2:DescribeInstances",
    ),
    check=check,
)
