"""The EC2 instances that are nodes of a Kubernetes cluster, found by the tag that EKS and eksctl give them. Asks only.

https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values, pages
from trainyard.edge.aws.ec2 import Described, tags_of
from trainyard.edge.aws.nodes import Node

# Of managed node groups, and of those that eksctl makes itself.
_GROUP_TAGS = ("eks:nodegroup-name", "alpha.eksctl.io/nodegroup-name")


def kubernetes_instances(account: Account, cluster: str) -> tuple[Described, ...]:
    """Return the instances of a cluster that are not gone, in the order of their node groups."""
    wanted = by_values(**{f"tag:kubernetes.io/cluster/{cluster}": ("owned", "shared")})
    listed = pages(account, "ec2:DescribeInstances", "describe_instances", "Reservations", Filters=wanted)
    instances = (instance for reservation in listed for instance in reservation["Instances"])
    found = [one for one in instances if one["State"]["Name"] != "terminated"]
    return tuple(sorted(found, key=lambda one: (node_group_of(one) or "", one["InstanceId"])))


def node_group_of(described: Mapping[str, Any]) -> str | None:
    """Return the node group of an instance; None where no tag names one."""
    tags = tags_of(dict(described))
    return next((tags[name] for name in _GROUP_TAGS if tags.get(name)), None)


def kubernetes_node(described: Mapping[str, Any]) -> Node:
    """Return an instance as the node of a cluster; its queue is its node group."""
    return Node(
        described["InstanceId"],
        "Compute",
        node_group_of(described),
        described["InstanceType"],
        described["State"]["Name"],
        described.get("Placement", {}).get("AvailabilityZone", ""),
        described.get("PrivateIpAddress"),
        launched=described["LaunchTime"].isoformat(timespec="seconds") if "LaunchTime" in described else None,
        public_address=described.get("PublicIpAddress"),
        purchase=described.get("InstanceLifecycle", "on-demand"),
    )
