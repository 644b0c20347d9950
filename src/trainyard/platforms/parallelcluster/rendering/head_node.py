"""HeadNode: https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.platforms.parallelcluster.rendering.custom_actions import custom_actions
from trainyard.platforms.parallelcluster.rendering.volumes import root_volume
from trainyard.render.networking import (
    one_subnet,
    proxy,
    remote_desktop,
    security_groups,
    ssh_range,
)
from trainyard.render.policies import head_node_iam
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def head_node(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the head node."""
    node = spec.head_node
    key = {} if spec.access.ssh_key is None else {"KeyName": spec.access.ssh_key}
    return {
        "InstanceType": node.instance_type,
        **({} if node.multithreading else {"DisableSimultaneousMultithreading": True}),
        **({} if node.ami is None else {"Image": {"CustomAmi": node.ami}}),
        "Networking": _networking(spec, ids),
        "Ssh": {**key, "AllowedIps": ssh_range(spec, ids)},
        "LocalStorage": root_volume(node.root_volume),
        "Imds": {"Secured": node.imds_for_root_only},
        **remote_desktop(node.dcv),
        **custom_actions(spec, node.custom_actions, ids),
        "Iam": head_node_iam(spec, ids),
    }


def _networking(spec: Spec, ids: Ids) -> dict[str, Any]:
    address = {"ElasticIp": spec.head_node.elastic_ip} if spec.head_node.elastic_ip else {}
    subnet = one_subnet(spec, spec.head_node.subnet, ids)
    return {"SubnetId": subnet, **address, **security_groups(spec, "Head", ids), **proxy(spec)}
