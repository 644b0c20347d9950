"""The EC2 instances of a cluster, found by the tags that ParallelCluster, EKS and eksctl give them. Asks only.

The tags: https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html and pcluster/constants.py, alike in 3.14,
3.15 and 3.16. Compute nodes carry queue-name and compute-resource-name, login nodes login-nodes-pool-name.
https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values
from trainyard.edge.aws.ec2 import Described, instances, tags_of
from trainyard.foreign_text import word_or_quoted

MONITORING = "Monitoring"
_STATES = ["pending", "running", "stopping", "stopped", "shutting-down"]
# ParallelCluster's own, those that our rendering asks it to set, and CloudFormation's, which stand on the head node. An
# instance that lacks one of them is found by another.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_CLUSTER_TAGS = ("parallelcluster:cluster-name", "trainyard:cluster", "aws:cloudformation:stack-name")
# Of managed node groups, and of those that eksctl makes itself.
_GROUP_TAGS = ("eks:nodegroup-name", "alpha.eksctl.io/nodegroup-name")


class ClusterNode(NamedTuple):
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


def nodes(account: Account, cluster: str) -> list[ClusterNode]:
    """Return the instances of a ParallelCluster cluster that are not gone, head node first."""
    filters = by_values(**{"tag:parallelcluster:cluster-name": (cluster,)}, instance_state_name=_STATES)
    listed = instances(account, filters, doing=f"list the nodes of {cluster}")
    return sorted(map(_node, listed), key=lambda node: (node.role != "HeadNode", node.role, node.queue or "", node.id))


def monitoring_instances(account: Account, name: str, owner_tags: tuple[str, ...]) -> list[ClusterNode]:
    """Return the instance of a self-hosted monitoring, and former ones that are not gone yet.

    It has none of ParallelCluster's tags, by which that terminates what is left of a cluster, but a tag of its owner:
    a cluster or an environment of this name.
    """
    filters = by_values(**{"tag:Name": (f"{name}-monitoring",)}, instance_state_name=_STATES)
    listed = instances(account, filters, doing=f"look for the monitoring instance of {name}")
    return [
        _node(instance)._replace(role=MONITORING)
        for instance in listed
        if any({"Key": key, "Value": name} in instance.get("Tags", ()) for key in owner_tags)
    ]


def instances_of_cluster(account: Account, name: str) -> tuple[Described, ...]:
    """Return the instances that any tag gives to a cluster, in whatever state they are."""
    listed = (instances(account, by_values(**{f"tag:{tag}": (name,)})) for tag in _CLUSTER_TAGS)
    return tuple({instance["InstanceId"]: instance for part in listed for instance in part}.values())


def instance_by_id(account: Account, instance: str) -> Described | None:
    """Return an instance, whoever it belongs to; None where there is none of that id."""
    return next(iter(instances(account, by_values(instance_id=(instance,)))), None)


def kubernetes_instances(account: Account, cluster: str) -> tuple[Described, ...]:
    """Return the instances of a Kubernetes cluster that are not gone, in the order of their node groups."""
    tagged = instances(account, by_values(**{f"tag:kubernetes.io/cluster/{cluster}": ("owned", "shared")}))
    existing = [instance for instance in tagged if instance["State"]["Name"] != "terminated"]
    return tuple(sorted(existing, key=lambda instance: (node_group_of(instance) or "", instance["InstanceId"])))


def node_group_of(described: Mapping[str, Any]) -> str | None:
    """Return the node group of an instance; None where no tag names one."""
    tags = tags_of(dict(described))
    return next((_tag(tags, name) for name in _GROUP_TAGS if tags.get(name)), None)


def kubernetes_node(described: Mapping[str, Any]) -> ClusterNode:
    """Return an instance as the node of a cluster; its queue is its node group."""
    return ClusterNode(
        described["InstanceId"],
        "Compute",
        node_group_of(described),
        described["InstanceType"],
        described["State"]["Name"],
        described.get("Placement", {}).get("AvailabilityZone", ""),
        described.get("PrivateIpAddress"),
        launched=_launched(described),
        public_address=described.get("PublicIpAddress"),
        purchase=described.get("InstanceLifecycle", "on-demand"),
    )


def _node(described: Mapping[str, Any]) -> ClusterNode:
    tags = tags_of(dict(described))
    return ClusterNode(
        described["InstanceId"],
        _tag(tags, "parallelcluster:node-type") or "unknown",
        _tag(tags, "parallelcluster:queue-name"),
        described["InstanceType"],
        described["State"]["Name"],
        described["Placement"]["AvailabilityZone"],
        described.get("PrivateIpAddress"),
        _tag(tags, "parallelcluster:compute-resource-name"),
        _tag(tags, "parallelcluster:login-nodes-pool-name"),
        _launched(described),
        described.get("PublicIpAddress"),
        described.get("InstanceLifecycle", "on-demand"),
    )


def _tag(tags: Mapping[str, str], key: str) -> str | None:
    """Return the name that a tag holds. Whoever may set tags may write a sentence, which is then a quotation."""
    return word_or_quoted(tags[key]) if key in tags else None


def _launched(described: Mapping[str, Any]) -> str | None:
    return described["LaunchTime"].isoformat(timespec="seconds") if "LaunchTime" in described else None
