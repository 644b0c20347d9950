"""The node group of what the cluster itself runs."""

from __future__ import annotations

from typing import Any

from trainyard.platforms.eks.rendering.names import NODES, SYSTEM
from trainyard.platforms.eks.rendering.node_role import node_role, pods_need_node_role
from trainyard.platforms.eks.rendering.vpc import private_subnets
from trainyard.render.networking import security_groups
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# Images of operators, and logs; eksctl's own default.
_VOLUME_GIB = 80


def system_nodes(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the node group. Its nodes have no taint, so that whatever tolerates none lands on them."""
    count = spec.eks.system_nodes.count
    return {
        "name": SYSTEM,
        "instanceType": spec.eks.system_nodes.instance_type,
        "amiFamily": "AmazonLinux2023",
        "minSize": count,
        "desiredCapacity": count,
        "maxSize": count,
        "privateNetworking": True,
        **_place(spec, ids),
        "securityGroups": {"attachIDs": security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]},
        "volumeSize": _VOLUME_GIB,
        "volumeEncrypted": True,
        "disablePodIMDS": not pods_need_node_role(spec),
        **node_role(spec),
        "labels": {NODES: SYSTEM},
        "nodeRepairConfig": {"enabled": spec.eks.node_repair},
    }


def _place(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the zone of the network, where the file systems are too; in an existing VPC all private subnets."""
    if spec.network.existing is not None:
        return {"subnets": list(private_subnets(spec, ids))}
    zone = spec.network.availability_zone
    return {"subnets": [next(iter(private_subnets(spec, ids)))]} if zone is None else {"availabilityZones": [zone]}
