"""LoginNodes: https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.render.parallelcluster.networking import one_subnet, security_groups, ssh_range
from trainyard.render.parallelcluster.policies import node_policies

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec


def login_nodes(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return one pool of login nodes, or nothing. They use the head node's key: 3.15 and later refuse another."""
    if spec.login_nodes is None:
        return {}
    pool = {
        "Name": "login",
        "Count": spec.login_nodes.count,
        "InstanceType": spec.login_nodes.instance_type,
        "Networking": {"SubnetIds": [one_subnet(spec, spec.login_nodes.subnet, ids)], **security_groups(spec)},
        "Ssh": {"AllowedIps": ssh_range(spec, ids)},
        "Iam": {"AdditionalIamPolicies": node_policies(spec)},
    }
    return {"Pools": [pool]}
