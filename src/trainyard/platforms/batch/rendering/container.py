"""What containers of a queue get from their nodes: vCPUs, memory, GPUs, devices and directories."""

from __future__ import annotations

import re
from typing import Any

from trainyard.platforms.batch.rendering.node import Node
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Efs, FileSystem

SCRATCH = "scratch"


def resources(node: Node, *, gpus: bool = True) -> list[dict[str, str]]:
    """Return ResourceRequirements: the whole node, as only one container of a multi-node job runs on it."""
    wanted = {"VCPU": node.vcpus, "MEMORY": node.memory_mib, "GPU": node.gpus if gpus else 0}
    return [{"Type": name, "Value": str(value)} for name, value in wanted.items() if value]


def devices(node: Node) -> list[dict[str, str]]:
    """Return Devices: those of EFA, one for each interface, and those of Neuron. GPUs come without.

    Their permissions are the default, which is all three: what EFA needs.
    https://docs.aws.amazon.com/batch/latest/userguide/efa.html
    """
    paths = [f"/dev/infiniband/uverbs{number}" for number in range(node.efa_devices)]
    paths += [f"/dev/neuron{number}" for number in range(node.neuron_devices)]
    return [{"HostPath": path} for path in paths]


def volumes(spec: Spec, node: Node) -> list[dict[str, Any]]:
    """Return Volumes: directories of the node, and EFS, which ECS mounts itself."""
    scratch = [{"Name": SCRATCH, "Host": {"SourcePath": {"Ref": "ScratchMount"}}}] if node.has_drives else []
    return [*scratch, *(_volume(file_system) for file_system in spec.file_systems)]


def mount_points(spec: Spec, node: Node) -> list[dict[str, Any]]:
    """Return MountPoints: every file system at the same place as on the node."""
    scratch = [{"SourceVolume": SCRATCH, "ContainerPath": {"Ref": "ScratchMount"}}] if node.has_drives else []
    return [
        *scratch,
        *(
            {"SourceVolume": _name(file_system), "ContainerPath": file_system.mount}
            for file_system in spec.file_systems
        ),
    ]


def _volume(file_system: FileSystem) -> dict[str, Any]:
    settings = file_system.settings
    if not isinstance(settings, Efs):
        return {"Name": _name(file_system), "Host": {"SourcePath": file_system.mount}}
    access_point = {} if settings.access_point is None else {"AccessPointId": settings.access_point}
    efs = {
        "FileSystemId": settings.id,
        "TransitEncryption": "ENABLED" if settings.encryption_in_transit else "DISABLED",
        "AuthorizationConfig": {**access_point, "Iam": "ENABLED" if settings.iam_authorization else "DISABLED"},
    }
    return {"Name": _name(file_system), "EfsVolumeConfiguration": efs}


def _name(file_system: FileSystem) -> str:
    """Return the name of a volume: letters, digits, hyphens and underscores. Mounts differ, so these do."""
    return "at" + re.sub(
        r"[^A-Za-z0-9-]", lambda match: "_" if match[0] == "/" else f"__{ord(match[0])}", file_system.mount
    )
