"""An instance of a cluster, with the labels that discovery gives it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.ec2 import Described, tags_of


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
