"""The stack of launch templates for node groups that eksctl's own would not fit: nodes.yaml, filled for each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import Interface, interface_plan
from trainyard.errors import TrainyardError
from trainyard.platforms.batch.rendering.template import for_each_queue
from trainyard.platforms.eks.rendering.capacity import reservation_group
from trainyard.platforms.eks.rendering.node_config import has_drives
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.platforms.eks.rendering.node_role import pods_need_node_role
from trainyard.platforms.eks.rendering.own_template import own_templates, placed
from trainyard.render.networking import security_groups
from trainyard.render.slots import Slot
from trainyard.render.stand_ins import Ids
from trainyard.spec.capacity import Reserved
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.volume import RootVolume


def needs_launch_templates(spec: Spec) -> bool:
    """Return whether there is a stack of launch templates."""
    return spec.platform == "eks" and not spec.is_environment and bool(own_templates(spec))


def launch_templates(spec: Spec) -> str:
    """Return the text of the template. Raises TrainyardError for a node group that cannot have one."""
    return for_each_queue(
        native_template(), {node_group_name(group): _slots(spec, group) for group in own_templates(spec)}
    )


def launch_template_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the parameters, as far as the spec decides them: those of all node groups first."""
    key = {} if spec.access.ssh_key is None else {"EC2KeyPair": spec.access.ssh_key}
    parameters = {
        "ClusterName": spec.name,
        "SecurityGroups": ",".join(reversed(security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"])),
        **key,
        "MetadataHops": "2" if pods_need_node_role(spec) else "1",
        "DetailedMonitoring": str(spec.monitoring.detailed).lower(),
    }
    for number, group in enumerate(own_templates(spec), 1):
        own = _of_group(spec, group, ids)
        parameters |= own if number == 1 else {f"{name}{number}": value for name, value in own.items()}
    return parameters


@cache
def native_template() -> str:
    """Return the file as it lies in the package, with marks and comments."""
    return Path(__file__).with_name("nodes.yaml").read_text(encoding="utf-8")


def _slots(spec: Spec, group: NodeGroup) -> dict[str, Any]:
    where = ".".join(map(str, group.path))
    if (group.queue.ami or spec.image.ami) is not None:
        raise TrainyardError(
            f"nodes of queue {group.queue.name!r} have an image and a launch template of their own, and nothing would "
            "tell them how to join the cluster",
            where=where,
            hint="leave the image to EKS, or make the node group by hand once the cluster is there",
        )
    facts = find(group.instance_type)
    efa = uses_efa(group.instance_type, group.efa)
    if facts is None or facts.cards is None:
        raise TrainyardError(
            f"the network cards of {group.instance_type} are unknown, and its launch template names them",
            where=where,
            hint="choose a type that `trainyard instances` lists, or leave placement_group and the volume's type alone",
        )
    return {
        "instance-type": Slot.REMOVE if len(group.instance_types) > 1 else group.instance_type,
        "interfaces": [_interface(one) for one in interface_plan(facts, "eks", efa=efa).interfaces],
        "user-data": Slot.KEEP if has_drives(group) else Slot.REMOVE,
        "tags": [{"Key": key, "Value": value} for key, value in spec.tags.items() if key != "Name"],
    }


def _interface(interface: Interface) -> dict[str, Any]:
    return {
        "NetworkCardIndex": interface.card_index,
        "DeviceIndex": interface.device_index,
        "InterfaceType": interface.kind,
        "DeleteOnTermination": True,
        "Groups": {"Ref": "SecurityGroups"},
    }


def _of_group(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, str]:
    return {
        "QueueName": node_group_name(group),
        **_capacity(spec, group, ids),
        "CreatePlacementGroup": str(placed(group)).lower(),
        **_root_volume(group.queue.root_volume),
    }


def _capacity(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, str]:
    capacity = group.capacity
    if not isinstance(capacity, Reserved):
        return {}
    if (of_group := reservation_group(spec, capacity, ids)) is not None:
        return {"CapacityReservationResourceGroup": of_group}
    if capacity.capacity_block is not None:
        return {"CapacityBlockId": capacity.capacity_block}
    return {"CapacityReservationId": capacity.reservation or ""}


def _root_volume(volume: RootVolume) -> dict[str, str]:
    optional = {"RootVolumeIops": volume.iops, "RootVolumeThroughput": volume.throughput_mib_s}
    return {
        "RootVolumeSize": str(volume.size_gib),
        "RootVolumeType": volume.type,
        **{name: str(value) for name, value in optional.items() if value is not None},
        "RootVolumeEncrypted": str(volume.encrypted).lower(),
    }
