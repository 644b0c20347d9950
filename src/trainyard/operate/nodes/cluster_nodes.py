"""The nodes of a cluster at one moment: what EC2 says, what they wrote, and what there should be, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.deploy.node_record_place import former_folder
from trainyard.deploy.work import folder
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.finding import Finding
from trainyard.foreign_text import quoted
from trainyard.operate.nodes.bucket_records import Readings
from trainyard.operate.nodes.expected_nodes import ExpectedNodes, Group
from trainyard.operate.nodes.node_state import NodeState, node_that_is_gone, node_that_is_there


@dataclass(frozen=True)
class ClusterNodes:
    """The nodes of a cluster at one moment."""

    name: str
    region: str
    bucket: str
    records_folder: str
    """Where in it the nodes report."""
    now: float
    """The moment, in seconds since 1970."""
    expected: ExpectedNodes
    groups: tuple[Group, ...]
    """Of what there should be, that which was asked for."""
    present: tuple[NodeState, ...]
    """The head node first."""
    gone: tuple[NodeState, ...]
    """Instances that are gone and of which a record is left, the newest record first."""
    unread: int = 0
    """How many older records there are."""
    only_node: bool = False
    """Whether a single node was asked for."""
    findings: tuple[Finding, ...] = ()
    """What is wrong, the worst first."""

    @property
    def ready(self) -> bool:
        """Return whether every node that is there is ready; those that are on their way out do not count."""
        return all(node.ready for node in self.present if node.state != "shutting-down")

    @property
    def ok(self) -> bool:
        """Return whether all are ready, all are there, and nothing is wrong."""
        return self.ready and not any(finding.severity == "error" for finding in self.findings)

    @property
    def deploying(self) -> bool:
        """Return whether the deployment of the cluster has not ended."""
        deployment = self.expected.deployment
        return deployment is not None and deployment.stage in ("deploying", "prepared")

    def late(self, node: NodeState) -> bool:
        """Return whether a node takes longer than it has."""
        return node.age_s(self.now) > self.timeout_s(node)

    def timeout_s(self, node: NodeState) -> int:
        """Return how long a node may take to come up."""
        return self.expected.timeouts_s.get(node.role, self.expected.timeouts_s["compute"])

    def runs_current(self, node: NodeState) -> bool | None:
        """Return whether a node runs the release that is published; None where nobody knows."""
        published = self.expected.published.release
        if published is None or node.record is None or node.record.release is None:
            return None
        return node.record.release == published

    def why_failed(self, node: NodeState) -> str:
        """Return the step that failed with its message, for a node that failed."""
        message = (node.step.message if node.step else "") or (node.record.message if node.record else "")
        words = f"the node says {quoted(message)}" if message else "its record does not say why"
        if node.step is None:
            return words
        status = f" with exit status {node.step.exit_status}" if node.step.exit_status is not None else ""
        return f"step {node.step.name}{status}; {words}"

    def url(self, name: str) -> str:
        """Return where something of the cluster lies in the bucket."""
        return f"s3://{self.bucket}/{folder(self.name)}/{name}"

    def record_url(self, node: NodeState) -> str:
        """Return where the record of a node lies."""
        return f"s3://{self.bucket}/{self._record_folder(node)}/{node.id}.json"

    def evidence_url(self, node: NodeState) -> str:
        """Return where the logs of the failed steps of a node lie."""
        return f"s3://{self.bucket}/{self._record_folder(node)}/{node.id}/"

    def _record_folder(self, node: NodeState) -> str:
        former = node.reading is not None and node.reading.former
        return former_folder(self.name) if former else self.records_folder


class ClusterPlace(NamedTuple):
    """Which cluster it is."""

    name: str
    region: str
    bucket: str
    records_folder: str


def compare_nodes(
    place: ClusterPlace, now: float, instances: Sequence[ClusterNode], readings: Readings, expected: ExpectedNodes
) -> ClusterNodes:
    """Return the nodes of a cluster from what EC2 says, what they wrote, and what there should be."""
    by_instance = readings.by_instance
    publishes = expected.published.release is not None or expected.published.problem is not None
    existing = tuple(
        node_that_is_there(instance, by_instance.get(instance.id), expects_record=publishes) for instance in instances
    )
    ids = {node.id for node in existing}
    left = sorted(
        (node_reading for node_reading in by_instance.values() if node_reading.instance_id not in ids),
        key=lambda reading: -reading.written,
    )
    gone = tuple(map(node_that_is_gone, left))
    return ClusterNodes(*place, now, expected, expected.groups, existing, gone, readings.unread)
