"""Scheduling: https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.launch.launch import compute_launches
from trainyard.platforms.parallelcluster.rendering.compute_resource import compute_resource
from trainyard.platforms.parallelcluster.rendering.custom_actions import custom_actions
from trainyard.platforms.parallelcluster.rendering.slurm_settings import slurm_settings
from trainyard.platforms.parallelcluster.rendering.volumes import root_volume
from trainyard.render.networking import proxy, queue_subnets, security_groups
from trainyard.render.policies import compute_iam
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

# Reservations are consumed by on-demand launches.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-odcr-v3.html
_CAPACITY_TYPES = {"spot": "SPOT", "capacity_block": "CAPACITY_BLOCK"}


def scheduling(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the scheduler and its queues."""
    return {
        "Scheduler": "slurm",
        "SlurmSettings": slurm_settings(spec),
        "SlurmQueues": [_queue(spec, queue, ids) for queue in spec.queues],
    }


def _queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    launches = compute_launches(spec, queue)
    exclusive = spec.parallelcluster.slurm.job_exclusive if queue.job_exclusive is None else queue.job_exclusive
    several_subnets = len(queue_subnets(spec, queue, ids)) > 1
    return {
        "Name": queue.name,
        "CapacityType": _CAPACITY_TYPES.get(launches[0].capacity.kind, "ONDEMAND"),
        **({} if queue.allocation_strategy is None else {"AllocationStrategy": queue.allocation_strategy}),
        **({} if queue.ami is None else {"Image": {"CustomAmi": queue.ami}}),
        "Networking": _networking(spec, queue, ids),
        "ComputeSettings": {
            "LocalStorage": {**root_volume(queue.root_volume), "EphemeralVolume": {"MountDir": spec.scratch.mount}}
        },
        "JobExclusiveAllocation": exclusive,
        **({"CustomSlurmSettings": queue.partition_settings} if queue.partition_settings else {}),
        **custom_actions(spec, queue.custom_actions, ids),
        "Iam": compute_iam(spec, queue.custom_actions, ids),
        "ComputeResources": [compute_resource(launch, ids, any_type=several_subnets) for launch in launches],
    }


def _networking(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    public = {"AssignPublicIp": True} if queue.subnet == "public" else {}
    return {
        "SubnetIds": queue_subnets(spec, queue, ids),
        **public,
        **security_groups(spec, "Compute", ids),
        **proxy(spec),
    }
