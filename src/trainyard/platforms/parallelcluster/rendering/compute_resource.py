"""ComputeResources: the nodes of one kind in a queue.

https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues-ComputeResources
"""

from __future__ import annotations

from typing import Any

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.slurm_topology import slurm_topology
from trainyard.render.reservation_groups import groups_to_make
from trainyard.render.stand_ins import Ids
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def compute_resource(spec: Spec, group: NodeGroup, ids: Ids, *, any_type: bool = False) -> dict[str, Any]:
    """Return one compute resource, with ``any_type`` in the form for several types: only that may span subnets."""
    return {
        "Name": group.name,
        **_instance_types(group, any_type=any_type),
        "MinCount": group.min_nodes,
        "MaxCount": group.max_nodes,
        "Efa": _efa(group),
        "Networking": {"PlacementGroup": {"Enabled": _placed(group)}},
        **_reservation(spec, group, ids),
        **_optional(group),
    }


def _instance_types(group: NodeGroup, *, any_type: bool) -> dict[str, Any]:
    if any_type or len(group.instance_types) > 1:
        return {"Instances": [{"InstanceType": name} for name in group.instance_types]}
    return {"InstanceType": group.instance_type}


def _efa(group: NodeGroup) -> dict[str, Any]:
    gpudirect = {} if group.settings.gpudirect is None else {"GdrSupport": group.settings.gpudirect}
    return {"Enabled": uses_efa(group.instance_type, group.efa), **gpudirect}


def _reservation(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, Any]:
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return {}
    if capacity.reservations is not None:
        number = groups_to_make(spec).index(capacity.reservations) + 1
        target = {"CapacityReservationResourceGroupArn": ids.of("ReservationGroupArn", number=number)}
    elif capacity.reservation_group is not None:
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
    known = slurm_topology(group.instance_type)
    written = {key.lower() for key in group.settings.slurm_settings}
    if known is None or len(group.instance_types) > 1 or written & _PROCESSORS:
        return {}
    sockets, cores_per_socket, _ = known
    return {"Sockets": sockets, "CoresPerSocket": cores_per_socket}
