"""The EC2 instances of a ParallelCluster cluster, found by the tags that it gives them.

The tags: https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html and pcluster/constants.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.refusals import account_error

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account

_STATES = ["pending", "running", "stopping", "stopped", "shutting-down"]


class Node(NamedTuple):
    """One instance of a cluster."""

    id: str
    role: str
    """HeadNode, LoginNode or Compute."""
    queue: str | None
    instance_type: str
    state: str
    zone: str
    private_address: str | None


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
    )
