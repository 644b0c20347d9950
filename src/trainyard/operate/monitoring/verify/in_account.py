"""What the account knows of a cluster and of whoever keeps its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import security_groups
from trainyard.operate.monitoring.verify.instances import ScrapedInstance
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
