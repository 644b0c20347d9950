"""The node groups of training: one for each kind of nodes in each queue, all of them managed by EKS.

EKS takes Capacity Blocks in managed node groups too, so none has to be self-managed.
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""

from __future__ import annotations

from typing import Any

from trainyard.catalog.efa import uses_efa
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rendering.capacity import capacity
from trainyard.platforms.eks.rendering.names import SYSTEM, labels, taints
from trainyard.platforms.eks.rendering.node_config import node_config
from trainyard.platforms.eks.rendering.node_role import node_role, pods_need_node_role
from trainyard.platforms.eks.rendering.own_template import own_templates
from trainyard.platforms.eks.rendering.vpc import private_subnets, public_subnets
from trainyard.render.networking import security_groups
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.volume import RootVolume


def node_groups(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    """Return them in the order of the spec."""
    numbers = {group.path: number for number, group in enumerate(own_templates(spec), 1)}
    return [_node_group(spec, group, numbers.get(group.path), ids) for group in spec.node_groups()]


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


def _node_group(spec: Spec, group: NodeGroup, template: int | None, ids: Ids) -> dict[str, Any]:
    own = _by_eksctl(spec, group, ids) if template is None else _by_template(group, template, ids)
    return {
        "name": node_group_name(group),
        **own,
        **capacity(spec, group, ids, in_template=template is not None),
        "minSize": group.min_nodes,
        "desiredCapacity": group.desired_nodes,
        "maxSize": group.max_nodes,
        **_place(spec, group, ids),
        **node_role(spec),
        "labels": labels(group),
        **({"taints": kept} if (kept := taints(group)) else {}),
        "tags": {"trainyard:queue": group.queue.name},
        "nodeRepairConfig": {"enabled": spec.eks.node_repair},
    }


def _by_eksctl(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, Any]:
    """Return what eksctl makes a launch template of."""
    config = node_config(group)
    ami = group.queue.ami or spec.image.ami
    return {
        **_types(group),
        "amiFamily": "AmazonLinux2023",
        **({} if ami is None else {"ami": ami}),
        "instancePrefix": group.queue.name,
        **({"efaEnabled": True} if uses_efa(group.instance_type, group.efa) else {}),
        "securityGroups": {"attachIDs": security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]},
        **_volume(group.queue.root_volume),
        **_ssh(spec),
        "disablePodIMDS": not pods_need_node_role(spec),
        **({"enableDetailedMonitoring": True} if spec.monitoring.detailed else {}),
        **({} if config is None else {"overrideBootstrapCommand": config}),
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


def _place(spec: Spec, group: NodeGroup, ids: Ids) -> dict[str, Any]:
    queue = group.queue
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
