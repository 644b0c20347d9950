"""The parameters of a spec's stack of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.efa import uses_efa
from trainyard.platforms.batch.rendering.node import node_of
from trainyard.render.cloudformation.iam import iam_names
from trainyard.render.networking import queue_subnets, security_groups
from trainyard.render.reservation_groups import groups_to_make
from trainyard.render.stand_ins import Ids
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue
from trainyard.spec.volume import RootVolume

_INSIGHTS = {"none": "DISABLED", "standard": "ENABLED", "enhanced": "ENHANCED"}


def needs_batch(spec: Spec) -> bool:
    """Return whether the cluster is a stack of AWS Batch."""
    return spec.platform == "batch" and not spec.is_environment


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
        "NcclImage": batch.nccl_image if any(node_of(spec, one).gpus for one in spec.node_groups()) else None,
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
    for one in spec.file_systems:
        if not isinstance(one.settings, Lustre | OpenZfs):
            continue
        id_ = one.settings.id
        if id_ in (None, "environment"):
            made[one.kind] += 1
            id_ = ids.of(outputs[one.kind], number=made[one.kind])
        yield f"{one.kind}:{id_}:{one.mount}"


def _of_queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, str]:
    group = next(spec.groups_in(queue))
    node = node_of(spec, group)
    ami = queue.ami or spec.image.ami
    return {
        "QueueName": queue.name,
        "Subnets": ",".join(queue_subnets(spec, queue, ids)),
        **({} if ami is None else {"AMI": ami}),
        **_capacity(spec, group, ids),
        "CreatePlacementGroup": str(placed(group)).lower(),
        "MinvCpus": str(group.min_nodes * node.vcpus),
        "MaxvCpus": str(group.max_nodes * node.vcpus),
        "HugePages": str(node.huge_pages),
        **_root_volume(queue.root_volume),
    }


def _capacity(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, str]:
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return {}
    if capacity.reservations is not None:
        number = groups_to_make(spec).index(capacity.reservations) + 1
        return {"CapacityReservationResourceGroup": ids.of("ReservationGroupArn", number=number)}
    if capacity.reservation_group is not None:
        return {"CapacityReservationResourceGroup": capacity.reservation_group}
    if capacity.capacity_block is not None:
        return {"CapacityBlockId": capacity.capacity_block}
    return {"CapacityReservationId": capacity.reservation or ""}


def placed(group: NodeGroup) -> bool:
    """Return whether nodes get a placement group: as asked for, otherwise with EFA where no capacity is reserved."""
    if group.placement_group is not None:
        return group.placement_group
    return group.capacity_kind == "on-demand" and group.max_nodes > 1 and uses_efa(group.instance_type, group.efa)


def _root_volume(volume: RootVolume) -> dict[str, str]:
    optional = {"RootVolumeIops": volume.iops, "RootVolumeThroughput": volume.throughput_mib_s}
    return {
        "RootVolumeSize": str(volume.size_gib),
        "RootVolumeType": volume.type,
        **{name: str(value) for name, value in optional.items() if value is not None},
        "RootVolumeEncrypted": str(volume.encrypted).lower(),
    }
