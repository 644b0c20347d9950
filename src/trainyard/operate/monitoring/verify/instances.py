"""The instances of a cluster, with the labels that discovery gives them on each platform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import Described, tags_of
from trainyard.edge.aws.nodes import instances_of_cluster, kubernetes_instances, node_group_of
from trainyard.monitoring.node_discovery import CLUSTER_TAG
from trainyard.platforms.batch.rendering import collection
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.spec.cluster import Spec

NODE_TYPE_TAG = "parallelcluster:node-type"
QUEUE_TAG = "parallelcluster:queue-name"


class Instance(NamedTuple):
    """An instance of the cluster, as EC2 describes it."""

    id: str
    state: str
    tags: Mapping[str, str]
    address: str | None
    groups: tuple[str, ...]
    profile_arn: str | None
    launched_s: float
    """Seconds since 1970."""
    node_type: str
    """HeadNode, LoginNode or Compute, or whatever else its tag says."""
    queue: str
    """Empty where it has none."""
    wanted: bool
    """Whether discovery asks for it, once it runs."""

    @property
    def running(self) -> bool:
        """Return whether it runs, which is when discovery finds it."""
        return self.state == "running"

    @property
    def discoverable(self) -> bool:
        """Return whether discovery finds it."""
        return self.running and self.wanted


def instances_of(account: Account, spec: Spec) -> tuple[Instance, ...]:
    """Return every instance that the cluster's tags, or ours, are on; also those that are gone for a while."""
    return _OF[spec.platform](account, spec)


def tagged(tags: Mapping[str, str], name: str) -> tuple[str, str, bool]:
    """Return type, queue, and whether discovery asks for it, of an instance of ParallelCluster of that name."""
    return tags.get(NODE_TYPE_TAG, ""), tags.get(QUEUE_TAG, ""), tags.get(CLUSTER_TAG) == name


def _of_parallelcluster(account: Account, spec: Spec) -> tuple[Instance, ...]:
    found = instances_of_cluster(account, spec.name)
    return tuple(_instance(one, *tagged(tags_of(dict(one)), spec.name)) for one in found)


def _of_batch(account: Account, spec: Spec) -> tuple[Instance, ...]:
    """Return those of the compute environments; our stacks make instances too, without a queue."""
    queues = {queue.name for queue in spec.queues}
    found = [(one, tags_of(dict(one))) for one in instances_of_cluster(account, spec.name)]
    named = [(one, tags.get(collection.QUEUE_TAG, ""), tags) for one, tags in found]
    return tuple(
        _instance(one, "Compute", queue, tags.get(collection.CLUSTER_TAG) == spec.name)
        for one, queue, tags in named
        if queue in queues
    )


def _of_eks(account: Account, spec: Spec) -> tuple[Instance, ...]:
    """Return those of the node groups. System nodes are of no queue, and the agent does not ask for them."""
    queues = {node_group_name(group): group.queue.name for group in spec.node_groups()}
    found = [(one, queues.get(node_group_of(one) or "", "")) for one in kubernetes_instances(account, spec.name)]
    return tuple(_instance(one, "Compute", queue, bool(queue)) for one, queue in found)


_OF: Mapping[str, Callable[[Account, Spec], tuple[Instance, ...]]] = {
    "parallelcluster": _of_parallelcluster,
    "batch": _of_batch,
    "eks": _of_eks,
}


def _instance(described: Described, node_type: str, queue: str, wanted: bool) -> Instance:  # noqa: FBT001  of `tagged`
    launched = described.get("LaunchTime", datetime.fromtimestamp(0, UTC))
    return Instance(
        described["InstanceId"],
        described["State"]["Name"],
        tags_of(dict(described)),
        described.get("PrivateIpAddress"),
        tuple(group["GroupId"] for group in _groups(described)),
        described.get("IamInstanceProfile", {}).get("Arn"),
        launched.timestamp(),
        node_type,
        queue,
        wanted,
    )


def _groups(described: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the groups of the first network interface: metrics are asked for at its address."""
    interfaces = described.get("NetworkInterfaces", ())
    first = [one for one in interfaces if one.get("Attachment", {}).get("DeviceIndex") == 0]
    groups: list[Mapping[str, str]] = first[0]["Groups"] if first else described.get("SecurityGroups", [])
    return groups
