"""HeadNode: https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.render.parallelcluster.networking import one_subnet, security_groups, ssh_range
from trainyard.render.parallelcluster.policies import head_node_policies

if TYPE_CHECKING:
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec


def head_node(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the head node."""
    key = {} if spec.access.ssh_key is None else {"KeyName": spec.access.ssh_key}
    return {
        "InstanceType": spec.head_node.instance_type,
        "Networking": {"SubnetId": one_subnet(spec, spec.head_node.subnet, ids), **security_groups(spec)},
        "Ssh": {**key, "AllowedIps": ssh_range(spec, ids)},
        "LocalStorage": {"RootVolume": {"Size": spec.head_node.root_volume.size_gib, "Encrypted": True}},
        "Iam": {"AdditionalIamPolicies": head_node_policies(spec, ids)},
    }
