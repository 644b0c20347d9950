"""The parameters of a spec's stack of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platforms.batch.rendering.node import node_of
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.launch_template import launch_parameters, root_volume_parameters
from trainyard.render.networking import queue_subnets, security_groups
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs
from trainyard.spec.queue import Queue

_INSIGHTS = {"none": "DISABLED", "standard": "ENABLED", "enhanced": "ENHANCED"}


def batch_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them, as far as the spec decides them: those of all queues first."""
    parameters = _of_all(spec, ids)
    for number, queue in enumerate(spec.queues, 1):
        own = _of_queue(spec, queue, ids)
        parameters |= own if number == 1 else {f"{name}{number}": value for name, value in own.items()}
    return parameters


def _of_all(spec: Spec, ids: Ids) -> dict[str, str]:
    batch, monitoring = spec.batch, spec.monitoring
    optional = {
        "EC2KeyPair": spec.access.ssh_key,
        "NodePolicies": ",".join(spec.iam.policies) or None,
        "JobPolicies": ",".join(batch.job_policies) or None,
        "FileSystems": " ".join(_file_systems(spec, ids)) or None,
        "StressImage": batch.stress_image,
        "NcclImage": batch.nccl_image if any(node_of(spec, queue).gpus for queue in spec.queues) else None,
        "PytorchImage": batch.pytorch_image,
        "KmsKeyArn": spec.iam.kms_key,
        "PermissionsBoundary": spec.iam.permissions_boundary,
    }
    return {
        "ClusterName": spec.name,
        "SecurityGroups": ",".join(security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]),
        **{name: value for name, value in optional.items() if value is not None},
        "ScratchMount": spec.scratch.mount,
        "JobAttempts": str(batch.job_attempts),
        "LogRetentionDays": str(monitoring.log_retention_days),
        "ContainerInsights": _INSIGHTS[batch.container_insights],
        "DetailedMonitoring": str(monitoring.detailed).lower(),
        "Dashboard": str(monitoring.dashboard).lower(),
        **iam_names(spec),
    }


def _file_systems(spec: Spec, ids: Ids) -> Iterator[str]:
    """Yield what nodes mount. EFS is no part of it: ECS mounts that into the containers."""
    made = dict.fromkeys(("lustre", "openzfs"), 0)
    outputs = {"lustre": "FSxLustreFilesystemId", "openzfs": "FSxORootVolumeId"}
    for file_system in spec.file_systems:
        if not isinstance(file_system.settings, Lustre | OpenZfs):
            continue
        id_ = file_system.settings.id
        if id_ in (None, "environment"):
            made[file_system.kind] += 1
            id_ = ids.of(outputs[file_system.kind], number=made[file_system.kind])
        yield f"{file_system.kind}:{id_}:{file_system.mount}"


def _of_queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, str]:
    node = node_of(spec, queue)
    launch = node.launch
    return {
        "QueueName": queue.name,
        "Subnets": ",".join(queue_subnets(spec, queue, ids)),
        **({} if launch.image is None else {"AMI": launch.image}),
        **launch_parameters(launch, ids),
        "MinvCpus": str(launch.min_nodes * node.vcpus),
        "MaxvCpus": str(launch.max_nodes * node.vcpus),
        "HugePages": str(node.huge_pages),
        **root_volume_parameters(queue.root_volume),
    }
