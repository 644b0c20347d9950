"""LoginNodes: https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.platforms.parallelcluster.rendering.custom_actions import custom_actions
from trainyard.render.networking import (
    one_subnet,
    proxy,
    remote_desktop,
    security_groups,
    ssh_range,
)
from trainyard.render.policies import login_iam
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.login_nodes import LoginPool


def login_nodes(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the pools of login nodes, or nothing."""
    pools = [_pool(spec, pool, ids) for _, pool in spec.login_pools()]
    return {"Pools": pools} if pools else {}


def _pool(spec: Spec, pool: LoginPool, ids: Ids) -> dict[str, Any]:
    # Without a key of its own, a pool has the head node's; from 3.15 on ParallelCluster knows nothing else.
    key = {} if pool.ssh_key is None else {"KeyName": pool.ssh_key}
    subnets = [one_subnet(spec, pool.subnet, ids)]
    return {
        "Name": pool.name,
        "Count": pool.count,
        "InstanceType": pool.instance_type,
        "GracetimePeriod": pool.grace_minutes,
        **({} if pool.ami is None else {"Image": {"CustomAmi": pool.ami}}),
        "Networking": {"SubnetIds": subnets, **security_groups(spec, "Login", ids), **proxy(spec)},
        "Ssh": {**key, "AllowedIps": ssh_range(spec, ids)},
        **remote_desktop(pool.dcv),
        **custom_actions(spec, pool.custom_actions, ids),
        "Iam": login_iam(spec, ids),
    }
