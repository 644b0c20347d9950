"""What the account knows of a cluster and of whoever keeps its metrics; instances with the labels of discovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import Described, security_groups, tags_of
from trainyard.platform_parts import NodeDiscovery
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec


@dataclass
class InAccount:
    """What AWS says. Everything is asked once, and only when a check wants it."""

    account: Account
    spec: Spec
    """As deployed."""
    outputs: Mapping[str, str]
    """Of its stacks, and of those of its environment."""

    @cached_property
    def discovery(self) -> NodeDiscovery:
        """Return how nodes of the cluster's platform are discovered."""
        return platform_of(self.spec).node_discovery()

    @cached_property
    def instances(self) -> tuple[ScrapedInstance, ...]:
        """Return every instance that the cluster's tags, or ours, are on; also those that are gone for a while."""
        return self.discovery.instances(self.account, self.spec)

    @property
    def discoverable(self) -> tuple[ScrapedInstance, ...]:
        """Return the instances that run and that discovery asks for."""
        return tuple(instance for instance in self.instances if instance.discoverable)

    @property
    def head(self) -> ScrapedInstance | None:
        """Return the head node, None where none runs."""
        return next((instance for instance in self.discoverable if instance.node_type == "HeadNode"), None)

    @cached_property
    def groups(self) -> dict[str, dict[str, Any]]:
        """Return the security groups of all nodes that run, and of the instance of self-hosting."""
        ids = {group for instance in self.instances if instance.running for group in instance.groups}
        return security_groups(self.account, tuple(sorted(ids | set(self.keeper_groups))))

    @cached_property
    def keeper_groups(self) -> tuple[str, ...]:
        """Return the security groups of the instance of self-hosting."""
        group = self.outputs.get("MonitoringSecurityGroup")
        return () if group is None else (group,)

    def age_s(self, instance: ScrapedInstance) -> float:
        """Return how long ago an instance was launched."""
        return self.account.clock.now() - instance.launched_s


class ScrapedInstance(NamedTuple):
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
    expected: bool
    """Whether discovery asks for it, once it runs."""

    @property
    def running(self) -> bool:
        """Return whether it runs, which is when discovery finds it."""
        return self.state == "running"

    @property
    def discoverable(self) -> bool:
        """Return whether discovery finds it."""
        return self.running and self.expected


class WrongTag(NamedTuple):
    """A tag by which discovery does not find an instance, or misnames it."""

    tag: str
    value: str
    """Empty where it is missing."""
    expected: str
    """What discovery asks for."""


class CheckedTags(NamedTuple):
    """A node whose tags were looked at."""

    instance: ScrapedInstance
    wrong: tuple[WrongTag, ...] = ()


def instance(described: Described, node_type: str, queue: str, is_expected: bool) -> ScrapedInstance:  # noqa: FBT001  of its tags
    """Return an instance as EC2 describes it, with what its tags say."""
    launched = described.get("LaunchTime", datetime.fromtimestamp(0, UTC))
    return ScrapedInstance(
        described["InstanceId"],
        described["State"]["Name"],
        tags_of(dict(described)),
        described.get("PrivateIpAddress"),
        tuple(group["GroupId"] for group in _groups(described)),
        described.get("IamInstanceProfile", {}).get("Arn"),
        launched.timestamp(),
        node_type,
        queue,
        is_expected,
    )


def _groups(described: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the groups of the first network interface: metrics are asked for at its address."""
    interfaces = described.get("NetworkInterfaces", ())
    first = [interface for interface in interfaces if interface.get("Attachment", {}).get("DeviceIndex") == 0]
    groups: list[Mapping[str, str]] = first[0]["Groups"] if first else described.get("SecurityGroups", [])
    return groups
