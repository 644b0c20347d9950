"""The node groups of training: one for each kind of nodes in each queue, all of them managed by EKS.

EKS takes Capacity Blocks in managed node groups too, so none has to be self-managed.
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""

from __future__ import annotations

from typing import Any

from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.launch.capacity import CapacityTarget
from trainyard.launch.launch import Launch, compute_launches
from trainyard.platforms.eks.rendering.names import SYSTEM, labels, taints
from trainyard.platforms.eks.rendering.node_role import node_role, own_templates, pods_need_node_role
from trainyard.platforms.eks.rendering.vpc import private_subnets, public_subnets
from trainyard.render.networking import security_groups
from trainyard.render.reservation_groups import group_arn
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue
from trainyard.spec.volume import RootVolume

# A NodeConfig, which nodeadm merges with what EKS tells nodes itself: one volume of all NVMe drives, to which images,
# containers and emptyDir volumes move from the root volume. https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
_STRIPED_DRIVES: dict[str, Any] = {
    "apiVersion": "node.eks.aws/v1alpha1",
    "kind": "NodeConfig",
    "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
}
_GROUP_KEY = "capacityReservationResourceGroupARN"


def node_groups(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return them in the order of the spec."""
    numbers = {launch.paths.nodes: number for number, launch in enumerate(own_templates(spec), 1)}
    return [_node_group(spec, launch, numbers.get(launch.paths.nodes), ids) for launch in compute_launches(spec)]


def node_group_name(group: NodeGroup) -> str:
    """Return the name of a node group: that of its queue, with that of its nodes where a queue has several kinds.

    Raises TrainyardError for the name that the system nodes have.
    """
    name = group.queue.name if group.queue.compute_resources is None else f"{group.queue.name}-{group.name}"
    if name == SYSTEM:
        raise TrainyardError(
            f"the node group of the system nodes is called {SYSTEM} already",
            where=".".join(map(str, (*group.path[:2], "name"))),
            hint="give the queue another name",
        )
    return name


def _node_group(spec: Spec, launch: Launch, template: int | None, ids: Ids) -> dict[str, Any]:
    group = launch.nodes
    own = _by_eksctl(spec, launch, ids) if template is None else _by_template(group, template, ids)
    return {
        "name": node_group_name(group),
        **own,
        **capacity_keys(launch.capacity, ids, in_template=template is not None),
        "minSize": launch.min_nodes,
        "desiredCapacity": launch.first_nodes,
        "maxSize": launch.max_nodes,
        **_place(spec, group.queue, ids),
        **node_role(spec),
        "labels": labels(launch),
        **({"taints": group_taints} if (group_taints := taints(launch)) else {}),
        "tags": {"trainyard:queue": group.queue.name},
        "nodeRepairConfig": {"enabled": spec.eks.node_repair},
    }


def _by_eksctl(spec: Spec, launch: Launch, ids: Ids) -> dict[str, Any]:
    """Return what eksctl makes a launch template of."""
    group = launch.nodes
    return {
        **_types(group),
        "amiFamily": "AmazonLinux2023",
        **({} if launch.image is None else {"ami": launch.image}),
        "instancePrefix": group.queue.name,
        **({"efaEnabled": True} if launch.instance.efa else {}),
        "securityGroups": {"attachIDs": security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]},
        **_volume(group.queue.root_volume),
        **_ssh(spec),
        "disablePodIMDS": not pods_need_node_role(spec),
        **({"enableDetailedMonitoring": True} if spec.monitoring.detailed else {}),
        **({"overrideBootstrapCommand": yaml_text(_STRIPED_DRIVES)} if launch.instance.has_drives else {}),
    }


def _by_template(group: NodeGroup, number: int, ids: Ids) -> dict[str, Any]:
    """Return the reference to a launch template, beside which eksctl takes none of the above.

    https://docs.aws.amazon.com/eks/latest/eksctl/launch-template-support.html
    """
    return {
        "launchTemplate": {"id": ids.of("NodeLaunchTemplate", number=number)},
        **(_types(group) if len(group.instance_types) > 1 else {}),
        "amiFamily": "AmazonLinux2023",
    }


def _types(group: NodeGroup) -> dict[str, Any]:
    if len(group.instance_types) > 1:
        return {"instanceTypes": list(group.instance_types)}
    return {"instanceType": group.instance_type}


def _volume(volume: RootVolume) -> dict[str, Any]:
    optional = {"volumeIOPS": volume.iops, "volumeThroughput": volume.throughput_mib_s}
    return {
        "volumeSize": volume.size_gib,
        "volumeType": volume.type,
        **{key: value for key, value in optional.items() if value is not None},
        "volumeEncrypted": volume.encrypted,
    }


def _ssh(spec: Spec) -> dict[str, Any]:
    """Return the key pair, or nothing: Session Manager needs none. With private networking only the VPC reaches SSH."""
    key = spec.access.ssh_key
    return {} if key is None else {"ssh": {"allow": True, "publicKeyName": key}}


def capacity_keys(target: CapacityTarget, ids: Ids, *, in_template: bool) -> dict[str, Any]:
    """Return where instances come from, as eksctl says it; ``in_template``, what our own launch template says already.

    Even then the node group has to know of a Capacity Block: eksctl derives its capacity type from the market.
    https://github.com/eksctl-io/eksctl/pull/8207
    The key is capacityReservationID. With a small d eksctl ignores it, and the instances come from no reservation at
    all: https://github.com/eksctl-io/eksctl/issues/8320
    """
    if not target.is_reserved:
        return {"spot": True} if target.kind == "spot" else {}
    if target.capacity_block is None and in_template:
        return {}
    arn = group_arn(target, ids)
    key, value = ("capacityReservationID", target.reservation) if arn is None else (_GROUP_KEY, arn)
    market = {} if target.capacity_block is None else {"instanceMarketOptions": {"marketType": "capacity-block"}}
    return {"capacityReservation": {"capacityReservationTarget": {key: value}}, **market}


def _place(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    if queue.subnet == "public":
        return {"privateNetworking": False, "subnets": list(public_subnets(spec, ids))}
    if queue.subnet != "private":
        return {"privateNetworking": True, "subnets": [queue.subnet]}
    zone = spec.network.availability_zone
    zones = queue.zones or (() if zone is None else (zone,))
    if zones:
        return {"privateNetworking": True, "availabilityZones": list(zones)}
    return {"privateNetworking": True, "subnets": _unnamed_subnets(spec, ids)}


def _unnamed_subnets(spec: Spec, ids: Ids) -> list[str]:
    """Return the subnets of nodes whose zone nobody names: all of an existing VPC, otherwise the first one."""
    names = list(private_subnets(spec, ids))
    return names if spec.network.existing is not None else names[:1]
