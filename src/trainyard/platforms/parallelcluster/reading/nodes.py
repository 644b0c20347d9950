"""The nodes of a configuration of ParallelCluster: head node, login nodes, queues."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.platforms.parallelcluster.reading.draft import Draft
from trainyard.rules.documents import mapping_at, mapping_in
from trainyard.rules.parallelcluster.config import Queue, mappings_in, queues
from trainyard.rules.parallelcluster.placeholders import placeholder_in

UNKNOWN_TYPE = "unknown.type"
"""Stands for an instance type that the file does not say; no catalog knows it."""
_UNKNOWN_NAME = "unknown"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,24}")
_VOLUME = {
    "Size": "size_gib", "VolumeType": "type", "Iops": "iops", "Throughput": "throughput_mib_s",
    "Encrypted": "encrypted",
}  # fmt: skip
# ParallelCluster's own: https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html
_MIN_COUNT, _MAX_COUNT = 0, 10


def read_nodes(draft: Draft, document: Document) -> None:
    """Add every kind of nodes."""
    _read_head_node(draft, mapping_at(document, "HeadNode"))
    pools = mapping_at(document, "LoginNodes").get("Pools")
    for index, (path, pool) in enumerate(mappings_in(pools, ("LoginNodes", "Pools"))):
        _read_pool(draft, ("login_nodes", index), path, pool)
    draft.place(("queues",), ("Scheduling", "SlurmQueues"))
    for index, queue in enumerate(queues(document)):
        _read_queue(draft, ("queues", index), queue)


def _read_head_node(draft: Draft, node: Mapping[str, Any]) -> None:
    path, place = ("head_node",), ("HeadNode",)
    draft.place(path, place)
    _read_type(draft, path, place, node)
    _read_volume(draft, path, place, node)
    _read_dcv(draft, path, place, node)
    if isinstance(secured := mapping_in(node, "Imds").get("Secured"), bool):
        draft.put((*path, "imds_for_root_only"), (*place, "Imds", "Secured"), secured)
    _read_actions(draft, path, place, node)


def _read_pool(draft: Draft, path: Path, place: Path, pool: Mapping[str, Any]) -> None:
    draft.place(path, place)
    _read_name(draft, path, place, pool)
    _read_type(draft, path, place, pool)
    _read_dcv(draft, path, place, pool)
    draft.put((*path, "count"), (*place, "Count"), pool.get("Count"))
    _read_actions(draft, path, place, pool)


def _read_queue(draft: Draft, path: Path, queue: Queue) -> None:
    place, written = queue.path, queue.written
    draft.place(path, place)
    _read_name(draft, path, place, written)
    networking = mapping_in(written, "Networking")
    if networking.get("AssignPublicIp") is True:
        draft.put((*path, "subnet"), (*place, "Networking", "AssignPublicIp"), "public")
    _read_volume(draft, path, (*place, "ComputeSettings"), mapping_in(written, "ComputeSettings"))
    _read_actions(draft, path, place, written)
    for index, (resource_place, resource) in enumerate(queue.compute_resources):
        _read_resource(draft, (*path, "compute_resources", index), resource_place, resource, queue)


def _read_resource(draft: Draft, path: Path, place: Path, resource: Mapping[str, Any], queue: Queue) -> None:
    draft.place(path, place)
    _read_name(draft, path, place, resource)
    types = resource.get("Instances")
    if isinstance(types, tuple):
        draft.place((*path, "instance_types"), (*place, "Instances"))
        for index, (type_place, written) in enumerate(mappings_in(types, (*place, "Instances"))):
            name = written.get("InstanceType")
            if isinstance(name, str) and placeholder_in(name) is None:
                draft.put((*path, "instance_types", index), (*type_place, "InstanceType"), name)
            else:
                draft.stand((*path, "instance_types", index), UNKNOWN_TYPE)
    else:
        _read_type(draft, path, place, resource)
    _read_count(draft, path, place, resource)
    efa = mapping_in(resource, "Efa")
    if placeholder_in(efa.get("Enabled")) is None:
        draft.put(
            (*path, "efa"), (*place, "Efa", *(["Enabled"] if "Enabled" in efa else [])), efa.get("Enabled") is True
        )
    _read_capacity(draft, path, place, resource, queue)
    _read_placement_group(draft, path, place, resource, queue)
    keys = {"SpotPrice": "spot_price_usd_per_hour", "StaticNodePriority": "static_priority",
            "DynamicNodePriority": "dynamic_priority", "SchedulableMemory": "schedulable_memory_mib"}  # fmt: skip
    for key, name in keys.items():
        if key in resource:
            draft.put((*path, name), (*place, key), resource[key])
    gpu = mapping_in(mapping_in(resource, "HealthChecks"), "Gpu").get("Enabled")
    if isinstance(gpu, bool):
        draft.put((*path, "gpu_health_check"), (*place, "HealthChecks", "Gpu", "Enabled"), gpu)


def _read_name(draft: Draft, path: Path, place: Path, written: Mapping[str, Any]) -> None:
    name = written.get("Name")
    if isinstance(name, str) and _NAME.fullmatch(name):
        draft.put((*path, "name"), (*place, "Name"), name)
    else:
        draft.stand((*path, "name"), f"{_UNKNOWN_NAME}-{path[-1]}")
        draft.unknown.add((*path, "name"))


def _read_type(draft: Draft, path: Path, place: Path, written: Mapping[str, Any]) -> None:
    name = written.get("InstanceType")
    if isinstance(name, str) and placeholder_in(name) is None:
        draft.put((*path, "instance_type"), (*place, "InstanceType"), name)
    else:
        draft.stand((*path, "instance_type"), UNKNOWN_TYPE)
        draft.unknown.add((*path, "instance_type"))


def _read_count(draft: Draft, path: Path, place: Path, resource: Mapping[str, Any]) -> None:
    least, most = resource.get("MinCount", _MIN_COUNT), resource.get("MaxCount", _MAX_COUNT)
    numbers = [number for number in (least, most) if isinstance(number, int) and not isinstance(number, bool)]
    draft.place((*path, "nodes"), (*place, "MinCount" if "MinCount" in resource else "MaxCount"))
    if len(numbers) == 2:
        draft.put((*path, "nodes", "min"), (*place, "MinCount"), least)
        draft.put((*path, "nodes", "max"), (*place, "MaxCount"), most)
    else:
        draft.stand((*path, "nodes"), max(1, *numbers, 1))
        draft.unknown.add((*path, "nodes"))


def _read_capacity(draft: Draft, path: Path, place: Path, resource: Mapping[str, Any], queue: Queue) -> None:
    kind = queue.written.get("CapacityType")
    own = "CapacityReservationTarget" in resource
    target = mapping_in(resource if own else queue.written, "CapacityReservationTarget")
    target_place = (*(place if own else queue.path), "CapacityReservationTarget")
    id_, group = target.get("CapacityReservationId"), target.get("CapacityReservationResourceGroupArn")
    path = (*path, "capacity")
    if kind == "SPOT":
        draft.put(path, (*queue.path, "CapacityType"), "spot")
    elif kind == "CAPACITY_BLOCK":
        draft.put(
            path,
            target_place if target else (*queue.path, "CapacityType"),
            {"capacity_block": _reservation(id_, draft)},
        )
    elif id_ is not None:
        draft.put(path, (*target_place, "CapacityReservationId"), {"reservation": _reservation(id_, draft)})
    elif isinstance(group, str):
        arn = "arn:aws:resource-groups:us-east-2:123456789012:group/unknown"
        known = placeholder_in(group) is None
        place_of_group = (*target_place, "CapacityReservationResourceGroupArn")
        draft.put(path, place_of_group, {"reservation_group": group if known else arn})
    elif placeholder_in(kind) is not None:
        draft.unknown.add(path)


def _reservation(id_: Any, draft: Draft) -> str:
    """Return the id of a reservation, or one that nothing else has."""
    if isinstance(id_, str) and re.fullmatch("cr-([0-9a-f]{8}|[0-9a-f]{17})", id_):
        return id_
    return f"cr-{len(draft.places):08x}"


def _read_placement_group(draft: Draft, path: Path, place: Path, resource: Mapping[str, Any], queue: Queue) -> None:
    """Add whether a placement group is asked for; that of a compute resource comes before that of its queue."""
    for holder_place, holder in ((place, resource), (queue.path, queue.written)):
        group = mapping_in(mapping_in(holder, "Networking"), "PlacementGroup")
        group_place = (*holder_place, "Networking", "PlacementGroup")
        named = group.get("Id") or group.get("Name")
        if isinstance(group.get("Enabled"), bool):
            draft.put((*path, "placement_group"), (*group_place, "Enabled"), group["Enabled"])
            return
        if named:
            draft.put((*path, "placement_group"), group_place, value=True)
            return
    draft.stand((*path, "placement_group"), value=False)


def _read_volume(draft: Draft, path: Path, place: Path, written: Mapping[str, Any]) -> None:
    volume = mapping_in(mapping_in(written, "LocalStorage"), "RootVolume")
    for key, name in _VOLUME.items():
        if key in volume:
            draft.put((*path, "root_volume", name), (*place, "LocalStorage", "RootVolume", key), volume[key])


def _read_dcv(draft: Draft, path: Path, place: Path, written: Mapping[str, Any]) -> None:
    dcv = mapping_in(written, "Dcv")
    if dcv.get("Enabled") is not True:
        return
    draft.place((*path, "dcv"), (*place, "Dcv"))
    draft.put((*path, "dcv", "port"), (*place, "Dcv", "Port"), dcv.get("Port", 8443))
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-Dcv-AllowedIps
    draft.put((*path, "dcv", "allow_from"), (*place, "Dcv", "AllowedIps"), dcv.get("AllowedIps", "0.0.0.0/0"))


_MOMENTS = {"OnNodeStart": "on_start", "OnNodeConfigured": "before_setup", "OnNodeUpdated": "on_update"}


def _read_actions(draft: Draft, path: Path, place: Path, written: Mapping[str, Any]) -> None:
    actions = mapping_in(written, "CustomActions")
    for moment, name in _MOMENTS.items():
        action = mapping_in(actions, moment)
        action_place = (*place, "CustomActions", moment)
        scripts = (
            list(mappings_in(action.get("Sequence"), (*action_place, "Sequence")))
            if "Sequence" in action
            else [(action_place, action)]
        )
        known = [(where, script["Script"]) for where, script in scripts if _is_script(script.get("Script"))]
        for index, (where, script) in enumerate(known):
            draft.put((*path, "custom_actions", name, index, "script"), (*where, "Script"), script)


def _is_script(value: Any) -> bool:
    pattern = r"(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|https://[A-Za-z0-9._-]+)/[^\s?#]+"
    return isinstance(value, str) and placeholder_in(value) is None and re.fullmatch(pattern, value) is not None
