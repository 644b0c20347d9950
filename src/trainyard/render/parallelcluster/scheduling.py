"""Scheduling: https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.catalog.efa import uses_efa
from trainyard.render.parallelcluster.networking import queue_subnets, security_groups
from trainyard.render.parallelcluster.policies import node_policies
from trainyard.spec.capacity import Reserved

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec
    from trainyard.spec.node_group import NodeGroup
    from trainyard.spec.queue import Queue

# Reservations are consumed by on-demand launches.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-odcr-v3.html
_CAPACITY_TYPES = {"spot": "SPOT", "capacity_block": "CAPACITY_BLOCK"}


def scheduling(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the scheduler and its queues."""
    slurm = spec.parallelcluster.slurm
    return {
        "Scheduler": "slurm",
        "SlurmSettings": {
            "ScaledownIdletime": slurm.scaledown_idle_minutes,
            "QueueUpdateStrategy": slurm.queue_update_strategy,
        },
        "SlurmQueues": [_queue(spec, queue, ids) for queue in spec.queues],
    }


def _queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    groups = list(spec.groups_in(queue))
    image = {} if queue.ami is None else {"Image": {"CustomAmi": queue.ami}}
    return {
        "Name": queue.name,
        "CapacityType": _CAPACITY_TYPES.get(groups[0].capacity_kind, "ONDEMAND"),
        **image,
        "Networking": _networking(spec, queue, ids),
        "ComputeSettings": {
            "LocalStorage": {
                "RootVolume": {"Size": queue.root_volume.size_gib, "Encrypted": True},
                "EphemeralVolume": {"MountDir": spec.scratch.mount},
            }
        },
        "JobExclusiveAllocation": spec.parallelcluster.slurm.job_exclusive,
        "Iam": {"AdditionalIamPolicies": node_policies(spec)},
        "ComputeResources": [_compute_resource(group) for group in groups],
    }


def _networking(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    public = {"AssignPublicIp": True} if queue.subnet == "public" else {}
    return {"SubnetIds": queue_subnets(spec, queue, ids), **public, **security_groups(spec)}


def _compute_resource(group: NodeGroup) -> dict[str, Any]:
    return {
        "Name": group.name,
        "InstanceType": group.instance_type,
        "MinCount": group.min_nodes,
        "MaxCount": group.max_nodes,
        "Efa": {"Enabled": uses_efa(group.instance_type, group.efa)},
        "Networking": {"PlacementGroup": {"Enabled": _placed(group)}},
        **_reservation(group),
    }


def _reservation(group: NodeGroup) -> dict[str, Any]:
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return {}
    if capacity.reservation_group is not None:
        target = {"CapacityReservationResourceGroupArn": capacity.reservation_group}
    else:
        target = {"CapacityReservationId": capacity.reservation or capacity.capacity_block or ""}
    return {"CapacityReservationTarget": target}


def _placed(group: NodeGroup) -> bool:
    if group.placement_group is not None:
        return group.placement_group
    return (
        group.capacity_kind in ("on-demand", "spot")
        and group.max_nodes > 1
        and uses_efa(group.instance_type, group.efa)
    )
