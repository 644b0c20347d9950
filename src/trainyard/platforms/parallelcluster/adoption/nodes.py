"""The nodes of a configuration of ParallelCluster as plain data of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.instances import uses_efa
from trainyard.document.plain_data import at, mappings, present, texts, with_new_keys

_VOLUME = {
    "Size": "size_gib",
    "VolumeType": "type",
    "Iops": "iops",
    "Throughput": "throughput_mib_s",
    "Encrypted": "encrypted",
}
_RESOURCE = {
    "SpotPrice": "spot_price_usd_per_hour",
    "StaticNodePriority": "static_priority",
    "DynamicNodePriority": "dynamic_priority",
    "SchedulableMemory": "schedulable_memory_mib",
    "CustomSlurmSettings": "slurm_settings",
}
_MOMENTS = {"OnNodeStart": "on_start", "OnNodeConfigured": "before_setup", "OnNodeUpdated": "on_update"}
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-MaxCount
_MAX_COUNT = 10


def node_kinds(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the head node, the pools of login nodes, and the queues."""
    yield config.get("HeadNode") or {}
    yield from mappings(config, "LoginNodes", "Pools")
    yield from mappings(config, "Scheduling", "SlurmQueues")


def head_node(config: Mapping[str, Any], first_subnet: str | None) -> dict[str, Any]:
    """Return the head node; ``first_subnet`` is the first of the cluster's private ones."""
    node = config.get("HeadNode")
    return present(
        instance_type=at(node, "InstanceType"),
        subnet=_other(at(node, "Networking", "SubnetId"), first_subnet),
        elastic_ip=at(node, "Networking", "ElasticIp"),
        ami=at(node, "Image", "CustomAmi"),
        multithreading=_multithreading(node),
        root_volume=_root_volume(node),
        imds_for_root_only=at(node, "Imds", "Secured"),
        dcv=_dcv(node),
        custom_actions=_actions(node),
    )


def login_nodes(config: Mapping[str, Any], first_subnet: str | None) -> Any:
    """Return the pools of login nodes, one of them as a mapping."""
    pools = [
        present(
            name=pool.get("Name"),
            count=pool.get("Count"),
            instance_type=pool.get("InstanceType"),
            subnet=_other(next(iter(texts(pool, "Networking", "SubnetIds")), None), first_subnet) or "private",
            ami=at(pool, "Image", "CustomAmi"),
            # From ParallelCluster 3.15 on, a pool has no key but the head node's.
            ssh_key=_other(at(pool, "Ssh", "KeyName"), at(config, "HeadNode", "Ssh", "KeyName")),
            grace_minutes=pool.get("GracetimePeriod"),
            dcv=_dcv(pool),
            custom_actions=_actions(pool),
        )
        for pool in mappings(config, "LoginNodes", "Pools")
    ]
    return pools[0] if len(pools) == 1 else pools


def queues(config: Mapping[str, Any], subnets: list[str]) -> list[dict[str, Any]]:
    """Return the queues; ``subnets`` are the cluster's private ones."""
    return [_queue(queue, subnets) for queue in mappings(config, "Scheduling", "SlurmQueues")]


def _queue(queue: Mapping[str, Any], subnets: list[str]) -> dict[str, Any]:
    resources = [_resource(resource, queue) for resource in mappings(queue, "ComputeResources")]
    own = texts(queue, "Networking", "SubnetIds")
    actions = _actions(queue)
    return present(
        name=queue.get("Name"),
        **_flat(resources),
        # Where there is nothing to choose from, a check says that the key has no effect.
        allocation_strategy=queue.get("AllocationStrategy") if _has_choice(resources, own) else None,
        subnet=None if own == subnets or not own else own[0],
        ami=at(queue, "Image", "CustomAmi"),
        root_volume=_root_volume(queue.get("ComputeSettings")),
        job_exclusive=queue.get("JobExclusiveAllocation"),
        partition_settings=queue.get("CustomSlurmSettings"),
        custom_actions={key: value for key, value in actions.items() if key != "on_update"},
    )


def _has_choice(resources: list[dict[str, Any]], subnets: Any) -> bool:
    return len(subnets) > 1 or any(len(resource.get("instance_types", ())) > 1 for resource in resources)


def _flat(resources: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the one compute resource as a queue has it where it is called like its type, otherwise their list."""
    if len(resources) != 1:
        return {"compute_resources": resources}
    only = resources[0]
    types = only.get("instance_types") or [only.get("instance_type")]
    if only.get("name") != str(types[0]).replace(".", "-"):
        return {"compute_resources": resources}
    return {key: value for key, value in only.items() if key != "name"}


def _resource(resource: Mapping[str, Any], queue: Mapping[str, Any]) -> dict[str, Any]:
    types = [entry.get("InstanceType") for entry in mappings(resource, "Instances")]
    efa = at(resource, "Efa", "Enabled")
    placement_group = _placement_group(resource, queue)
    return present(
        name=resource.get("Name"),
        instance_type=resource.get("InstanceType"),
        instance_types=types,
        nodes=_nodes(resource),
        capacity=_capacity(resource, queue),
        efa=False if efa is None and _has_efa(resource.get("InstanceType") or next(iter(types), None)) else efa,
        gpudirect=at(resource, "Efa", "GdrSupport"),
        # A spec has one by default for nodes with EFA, and ParallelCluster has none.
        placement_group=False if placement_group is None and efa else placement_group,
        multithreading=_multithreading(resource),
        gpu_health_check=at(resource, "HealthChecks", "Gpu", "Enabled"),
        **with_new_keys(resource, _RESOURCE),
    )


def _has_efa(name: Any) -> bool:
    return isinstance(name, str) and uses_efa(name, None)


def _nodes(resource: Mapping[str, Any]) -> Any:
    least, most = resource.get("MinCount"), resource.get("MaxCount", _MAX_COUNT)
    return least if least == most and least else {**present(min=least), "max": most}


def _capacity(resource: Mapping[str, Any], queue: Mapping[str, Any]) -> Any:
    target = at(resource, "CapacityReservationTarget") or at(queue, "CapacityReservationTarget")
    id_, group = at(target, "CapacityReservationId"), at(target, "CapacityReservationResourceGroupArn")
    kind = queue.get("CapacityType")
    if kind == "SPOT" and not target:
        return "spot"
    if kind == "CAPACITY_BLOCK":
        return {"capacity_block": id_} if id_ else None
    if id_ or group:
        return {"reservation": id_} if id_ else {"reservation_group": group}
    return "on-demand" if kind == "ONDEMAND" else None


def _placement_group(resource: Mapping[str, Any], queue: Mapping[str, Any]) -> Any:
    own = at(resource, "Networking", "PlacementGroup")
    group = own if own is not None else at(queue, "Networking", "PlacementGroup")
    return True if at(group, "Id") or at(group, "Name") else at(group, "Enabled")


def _other(value: Any, usual: str | None) -> Any:
    return None if value == usual else value


def _multithreading(node: Any) -> bool | None:
    return False if at(node, "DisableSimultaneousMultithreading") is True else None


def _root_volume(node: Any) -> dict[str, Any]:
    return with_new_keys(at(node, "LocalStorage", "RootVolume"), _VOLUME)


def _dcv(node: Any) -> dict[str, Any] | None:
    if at(node, "Dcv", "Enabled") is not True:
        return None
    # Without a range ParallelCluster opens DCV to everybody, and a spec to private addresses.
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-Dcv-AllowedIps
    return {**present(port=at(node, "Dcv", "Port")), "allow_from": at(node, "Dcv", "AllowedIps") or "0.0.0.0/0"}


def _actions(node: Any) -> dict[str, Any]:
    lists = ((name, _scripts(at(node, "CustomActions", moment))) for moment, name in _MOMENTS.items())
    return {name: scripts for name, scripts in lists if scripts}


def _scripts(action: Any) -> list[dict[str, Any]]:
    scripts = list(mappings(action, "Sequence")) or [action if isinstance(action, Mapping) else {}]
    return [present(script=script.get("Script"), args=_texts(script.get("Args"))) for script in scripts if script]


def _texts(values: Any) -> list[Any] | None:
    return list(values) if isinstance(values, list) else None
