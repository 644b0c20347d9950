"""What fills the slots of batch.yaml for one queue."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.platforms.batch.rendering.container_images import repositories
from trainyard.platforms.batch.rendering.node import BatchNode, node_of
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.launch_template import network_interface
from trainyard.render.slots import Slot
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Efs, FileSystem
from trainyard.spec.queue import Queue

_PROGRAMS = {
    "node-start": "assets/node-start.sh",
    "nccl-program": "programs/nccl_job.py",
    "torchrun-script": "assets/torchrun-job.sh",
}
_IMPORTED = {"Fn::ImportValue": {"Fn::Sub": "${VPCStackParameter}-SecurityGroup"}}
_GROUPS = {"Fn::Split": [",", {"Fn::If": ["InVpcStack", _IMPORTED, {"Ref": "SecurityGroups"}]}]}
# Batch picks an image with Neuron's driver for no type by itself, so ECS's own is named.
# https://docs.aws.amazon.com/AmazonECS/latest/developerguide/retrieve-ecs-optimized_AMI.html
_NEURON_IMAGE = "{{resolve:ssm:/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id}}"
SCRATCH = "scratch"


def queue_slots(spec: Spec, queue: Queue, *, dense: bool = False) -> dict[str, Any]:
    """Return the values by the names of their slots, with ``dense`` without comments in programs.

    Raises TrainyardError for a type that is not known well enough.
    """
    node = node_of(spec, queue)
    instance_type = node.launch.instance.name
    return {
        # A role with a name of its own, even on a condition, takes CAPABILITY_NAMED_IAM.
        "iam-names": Slot.KEEP if "IamNamePrefix" in iam_names(spec) else Slot.REMOVE,
        "nccl-image": Slot.KEEP if any(node_of(spec, queue).gpus for queue in spec.queues) else Slot.REMOVE,
        "max-vcpus": node.launch.max_nodes * node.vcpus,
        "huge-pages": node.huge_pages,
        "repositories": [{"Fn::GetAtt": ["Repository", "Arn"]}, *repositories(spec)],
        "keep-logs": "RetainExceptOnCreate" if spec.monitoring.keep_logs else "Delete",
        "interfaces": [network_interface(interface, _GROUPS) for interface in node.interfaces],
        **{name: program(file, dense=dense) for name, file in _PROGRAMS.items()},
        "instance-types": [instance_type],
        "image": [_image(node)],
        "name-tag": spec.tags.get("Name", Slot.KEEP),
        "tags": {key: value for key, value in spec.tags.items() if key != "Name"},
        "instance-type": instance_type,
        **_job_slots(spec, node),
    }


def _job_slots(spec: Spec, node: BatchNode) -> dict[str, Any]:
    of_nccl = Slot.KEEP if node.gpus else Slot.REMOVE
    return {
        "resources-of-stress": resources(node, gpus=False),
        "resources": resources(node),
        "nccl-job": of_nccl,
        "nccl-output": of_nccl,
        "ranks-per-node": {"Name": "TRAINYARD_RANKS_PER_NODE", "Value": str(node.launch.instance.ranks)},
        "shared-memory": node.shared_memory_mib,
        "devices": devices(node) or Slot.REMOVE,
        "volumes": volumes(spec, node) or Slot.REMOVE,
        "mount-points": mount_points(spec, node) or Slot.REMOVE,
    }


def _image(node: BatchNode) -> dict[str, Any]:
    # https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
    default = _NEURON_IMAGE if node.neuron_devices else {"Ref": "AWS::NoValue"}
    return {
        "ImageType": "ECS_AL2023_NVIDIA" if node.gpus else "ECS_AL2023",
        "ImageIdOverride": {"Fn::If": ["HasAMI", {"Ref": "AMI"}, default]},
    }


@cache
def program(name: str, *, dense: bool) -> str:
    """Return the text of a file of this folder, with ``dense`` without its comments."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    if not dense:
        return text
    return _dense_python(text) if name.endswith(".py") else _dense_shell(text)


def _dense_python(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None
        if documented and isinstance(node, ast.Module | ast.FunctionDef):
            node.body = node.body[1:]
    return ast.unparse(tree) + "\n"


def _dense_shell(text: str) -> str:
    """Return a script without the lines that are nothing but a comment. Ours have no text of several lines."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if line.startswith("#!") or not line.lstrip().startswith("#")) + "\n"


def resources(node: BatchNode, *, gpus: bool = True) -> list[dict[str, str]]:
    """Return ResourceRequirements: the whole node, as only one container of a multi-node job runs on it."""
    amounts = {"VCPU": node.vcpus, "MEMORY": node.memory_mib, "GPU": node.gpus if gpus else 0}
    return [{"Type": name, "Value": str(value)} for name, value in amounts.items() if value]


def devices(node: BatchNode) -> list[dict[str, str]]:
    """Return Devices: those of EFA, one for each interface, and those of Neuron. GPUs come without.

    Their permissions are the default, which is all three: what EFA needs.
    https://docs.aws.amazon.com/batch/latest/userguide/efa.html
    """
    paths = [f"/dev/infiniband/uverbs{number}" for number in range(node.efa_devices)]
    paths += [f"/dev/neuron{number}" for number in range(node.neuron_devices)]
    return [{"HostPath": path} for path in paths]


def volumes(spec: Spec, node: BatchNode) -> list[dict[str, Any]]:
    """Return Volumes: directories of the node, and EFS, which ECS mounts itself."""
    scratch = [{"Name": SCRATCH, "Host": {"SourcePath": {"Ref": "ScratchMount"}}}] if node.has_drives else []
    return [*scratch, *(_volume(file_system) for file_system in spec.file_systems)]


def mount_points(spec: Spec, node: BatchNode) -> list[dict[str, Any]]:
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
