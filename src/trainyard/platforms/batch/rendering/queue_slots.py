"""What fills the slots of batch.yaml for one queue."""

from __future__ import annotations

from typing import Any

from trainyard.platforms.batch.rendering.container import devices, mount_points, resources, volumes
from trainyard.platforms.batch.rendering.container_images import repositories
from trainyard.platforms.batch.rendering.node import Node, node_of
from trainyard.platforms.batch.rendering.program_texts import program
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.launch_template import network_interface
from trainyard.render.slots import Slot
from trainyard.spec.cluster import Spec
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


def _job_slots(spec: Spec, node: Node) -> dict[str, Any]:
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


def _image(node: Node) -> dict[str, Any]:
    # https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
    default = _NEURON_IMAGE if node.neuron_devices else {"Ref": "AWS::NoValue"}
    return {
        "ImageType": "ECS_AL2023_NVIDIA" if node.gpus else "ECS_AL2023",
        "ImageIdOverride": {"Fn::If": ["HasAMI", {"Ref": "AMI"}, default]},
    }
