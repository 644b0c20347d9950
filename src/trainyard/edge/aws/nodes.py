"""The EC2 instances of a ParallelCluster cluster, found by the tags that it gives them.

The tags: https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html and pcluster/constants.py, alike in 3.14,
3.15 and 3.16. Compute nodes carry queue-name and compute-resource-name, login nodes login-nodes-pool-name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error

MONITORING = "Monitoring"
_STATES = ["pending", "running", "stopping", "stopped", "shutting-down"]


class Node(NamedTuple):
    """One instance of a cluster."""

    id: str
    role: str
    """HeadNode, LoginNode or Compute; Monitoring is no node of ParallelCluster's."""
    queue: str | None
    instance_type: str
    state: str
    zone: str
    private_address: str | None
    compute_resource: str | None = None
    """The compute resource of its queue; None where it is no compute node."""
    pool: str | None = None
    """The pool of a login node."""
    launched: str | None = None
    """When EC2 launched it, as an ISO 8601 time. A stopped instance that is started has a new one."""
    public_address: str | None = None
    purchase: str = "on-demand"
    """on-demand, also where a reservation holds its place; spot or capacity-block."""


def nodes(account: Account, cluster: str) -> list[Node]:
    """Return the instances of a cluster that are not gone, head node first."""
    filters = [
        {"Name": "tag:parallelcluster:cluster-name", "Values": [cluster]},
        {"Name": "instance-state-name", "Values": _STATES},
    ]
    try:
        pages = account.client("ec2").get_paginator("describe_instances").paginate(Filters=filters)
        found = [one for page in pages for group in page["Reservations"] for one in group["Instances"]]
    except ClientError as error:
        raise account_error(error, account.region, f"list the nodes of {cluster}") from error
    return sorted(map(_node, found), key=lambda node: (node.role != "HeadNode", node.role, node.queue or "", node.id))


def monitoring_instances(account: Account, name: str, owner_tags: tuple[str, ...]) -> list[Node]:
    """Return the instance of a self-hosted monitoring, and former ones that are not gone yet.

    It has none of ParallelCluster's tags, by which that terminates what is left of a cluster, but a tag of its owner:
    a cluster or an environment of this name.
    """
    filters = [
        {"Name": "tag:Name", "Values": [f"{name}-monitoring"]},
        {"Name": "instance-state-name", "Values": _STATES},
    ]
    try:
        pages = account.client("ec2").get_paginator("describe_instances").paginate(Filters=filters)
        found = [one for page in pages for group in page["Reservations"] for one in group["Instances"]]
    except ClientError as error:
        raise account_error(error, account.region, f"look for the monitoring instance of {name}") from error
    own = [one for one in found if any({"Key": key, "Value": name} in one.get("Tags", ()) for key in owner_tags)]
    return [_node(one)._replace(role=MONITORING) for one in own]


def _node(described: dict[str, Any]) -> Node:
    tags = {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}
    return Node(
        described["InstanceId"],
        tags.get("parallelcluster:node-type", "unknown"),
        tags.get("parallelcluster:queue-name"),
        described["InstanceType"],
        described["State"]["Name"],
        described["Placement"]["AvailabilityZone"],
        described.get("PrivateIpAddress"),
        tags.get("parallelcluster:compute-resource-name"),
        tags.get("parallelcluster:login-nodes-pool-name"),
        described["LaunchTime"].isoformat(timespec="seconds") if "LaunchTime" in described else None,
        described.get("PublicIpAddress"),
        described.get("InstanceLifecycle", "on-demand"),
    )
