"""ComputeResources: the nodes of one kind in a queue.

https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues-ComputeResources
"""

from __future__ import annotations

from typing import Any

from trainyard.catalog.instances import slurm_topology
from trainyard.launch.capacity import CapacityTarget
from trainyard.launch.launch import Launch
from trainyard.render.reservation_groups import group_arn
from trainyard.render.stand_ins import Ids
from trainyard.spec.node_group import NodeGroup


def compute_resource(launch: Launch, ids: Ids, *, any_type: bool = False) -> dict[str, Any]:
    """Return one compute resource, with ``any_type`` in the form for several types: only that may span subnets."""
    group = launch.nodes
    gpudirect = {} if group.settings.gpudirect is None else {"GdrSupport": group.settings.gpudirect}
    return {
        "Name": group.name,
        **_instance_types(group, any_type=any_type),
        "MinCount": launch.min_nodes,
        "MaxCount": launch.max_nodes,
        "Efa": {"Enabled": launch.instance.efa, **gpudirect},
        "Networking": {"PlacementGroup": {"Enabled": launch.placement_group}},
        **_reservation(launch.capacity, ids),
        **_optional(group),
    }


def _instance_types(group: NodeGroup, *, any_type: bool) -> dict[str, Any]:
    if any_type or len(group.instance_types) > 1:
        return {"Instances": [{"InstanceType": name} for name in group.instance_types]}
    return {"InstanceType": group.instance_type}


def _reservation(target: CapacityTarget, ids: Ids) -> dict[str, Any]:
    if not target.is_reserved:
        return {}
    arn = group_arn(target, ids)
    key, value = (
        ("CapacityReservationId", target.reservation) if arn is None else ("CapacityReservationResourceGroupArn", arn)
    )
    return {"CapacityReservationTarget": {key: value}}


def _optional(group: NodeGroup) -> dict[str, Any]:
    """Return what ParallelCluster decides itself unless it is told."""
    nodes = group.settings
    health = None if nodes.gpu_health_check is None else {"Gpu": {"Enabled": nodes.gpu_health_check}}
    settings = {
        "SpotPrice": nodes.spot_price_usd_per_hour,
        "DisableSimultaneousMultithreading": None if nodes.multithreading else True,
        "StaticNodePriority": nodes.static_priority,
        "DynamicNodePriority": nodes.dynamic_priority,
        "HealthChecks": health,
        "SchedulableMemory": nodes.schedulable_memory_mib,
        "CustomSlurmSettings": {**_topology(group), **nodes.slurm_settings} or None,
    }
    return {key: value for key, value in settings.items() if value is not None}


# Settings of slurm.conf that describe processors: https://slurm.schedmd.com/slurm.conf.html#SECTION_NODE-CONFIGURATION
_PROCESSORS = frozenset({"boards", "sockets", "socketsperboard", "corespersocket", "threadspercore"})


def _topology(group: NodeGroup) -> dict[str, int]:
    """Return the sockets and cores of a type where they are known and the user says nothing of processors.

    Left alone, ParallelCluster lets Slurm take every CPU for a socket, and binding tasks to cores goes wrong.
    https://github.com/aws/aws-parallelcluster/issues/5797
    """
    topology = slurm_topology(group.instance_type)
    written = {key.lower() for key in group.settings.slurm_settings}
    if topology is None or len(group.instance_types) > 1 or written & _PROCESSORS:
        return {}
    sockets, cores_per_socket, _ = topology
    return {"Sockets": sockets, "CoresPerSocket": cores_per_socket}
