"""What the account knows of a cluster and of whoever keeps its metrics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from trainyard.edge.aws.cluster_instances import instances_of_cluster
from trainyard.edge.aws.ec2 import security_groups, tags_of
from trainyard.monitoring.node_discovery import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.edge.aws.account import Account

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

    @property
    def node_type(self) -> str:
        """Return HeadNode, LoginNode or Compute, or whatever else its tag says."""
        return self.tags.get(NODE_TYPE_TAG, "")

    @property
    def queue(self) -> str:
        """Return its queue; empty where it has none."""
        return self.tags.get(QUEUE_TAG, "")

    @property
    def running(self) -> bool:
        """Return whether it runs, which is when discovery finds it."""
        return self.state == "running"


@dataclass
class InAccount:
    """What AWS says. Everything is asked once, and only when a check wants it."""

    account: Account
    name: str
    """Of the cluster."""
    outputs: Mapping[str, str]
    """Of its stacks, and of those of its environment."""

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Return every instance that the cluster's tags, or ours, are on; also those that are gone for a while."""
        return tuple(map(_instance, instances_of_cluster(self.account, self.name)))

    @property
    def discoverable(self) -> tuple[Instance, ...]:
        """Return the instances that run and that discovery asks for: those with the name of the cluster."""
        return tuple(one for one in self.instances if one.running and one.tags.get(CLUSTER_TAG) == self.name)

    @property
    def head(self) -> Instance | None:
        """Return the head node, None where none runs."""
        return next((one for one in self.discoverable if one.node_type == "HeadNode"), None)

    @cached_property
    def groups(self) -> dict[str, dict[str, Any]]:
        """Return the security groups of all nodes that run, and of the instance of self-hosting."""
        ids = {group for one in self.instances if one.running for group in one.groups}
        return security_groups(self.account, tuple(sorted(ids | set(self.keeper_groups))))

    @cached_property
    def keeper_groups(self) -> tuple[str, ...]:
        """Return the security groups of the instance of self-hosting."""
        group = self.outputs.get("MonitoringSecurityGroup")
        return () if group is None else (group,)

    def age_s(self, instance: Instance) -> float:
        """Return how long ago an instance was launched."""
        return self.account.clock.now() - instance.launched_s


def _instance(described: Mapping[str, Any]) -> Instance:
    launched = described.get("LaunchTime", datetime.fromtimestamp(0, UTC))
    return Instance(
        described["InstanceId"],
        described["State"]["Name"],
        tags_of(dict(described)),
        described.get("PrivateIpAddress"),
        tuple(group["GroupId"] for group in _groups(described)),
        described.get("IamInstanceProfile", {}).get("Arn"),
        launched.timestamp(),
    )


def _groups(described: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the groups of the first network interface: metrics are asked for at its address."""
    interfaces = described.get("NetworkInterfaces", ())
    first = [one for one in interfaces if one.get("Attachment", {}).get("DeviceIndex") == 0]
    groups: list[Mapping[str, str]] = first[0]["Groups"] if first else described.get("SecurityGroups", [])
    return groups
