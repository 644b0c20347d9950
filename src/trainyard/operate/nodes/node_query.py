"""Looks at the nodes of a cluster in an account, once or again and again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from trainyard.deploy.node_record_place import records_folder
from trainyard.deploy.work import folder
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import ClusterNode, monitoring_instances
from trainyard.edge.aws.nodes import nodes as instances_of
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.bucket_records import BucketRecords
from trainyard.operate.nodes.cluster_nodes import ClusterNodes, ClusterPlace, compare_nodes
from trainyard.operate.nodes.expected_nodes import ExpectedNodes, expected_nodes
from trainyard.operate.nodes.findings import with_findings
from trainyard.render.tags import CLUSTER, ENVIRONMENT

_EXPECTED_EVERY = 10  # looks; a deployment seldom ends, or publishes anything, while somebody watches


@dataclass
class Look:
    """Looks at the nodes of one cluster, once or again and again."""

    account: Account
    bucket: str
    name: str
    queue: str | None = None
    """Only the compute nodes of this queue."""
    node: str | None = None
    """Only the node of this instance id or host name."""
    _looks: int = 0
    _expected: ExpectedNodes | None = None
    _records: BucketRecords = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no records."""
        self._records = BucketRecords(self.account, self.bucket, self.name)

    def look(self) -> ClusterNodes:
        """Return the nodes as they are now.

        Raises TrainyardError where there is no such cluster, and InputError where there is no such queue or node.
        """
        if self._looks % _EXPECTED_EVERY == 0 or self._expected is None:
            self._expected = expected_nodes(self.account, self.bucket, self.name)
        self._looks += 1
        instances = [*instances_of(self.account, self.name), *self._monitoring(self._expected)]
        readings = self._records.look([node.id for node in instances])
        if not instances and not readings.by_instance and self._expected.deployment is None:
            raise self._nothing()
        place = ClusterPlace(self.name, self.account.region, self.bucket, records_folder(self.account, self.name))
        nodes = compare_nodes(place, self.account.clock.now(), instances, readings, self._expected)
        nodes = nodes if self.queue is None else of_queue(nodes, self.queue)
        return with_findings(nodes if self.node is None else of_node(nodes, self.node))

    def _monitoring(self, expected: ExpectedNodes) -> list[ClusterNode]:
        """Return the monitoring instance. EC2 is asked for it only where the spec has one."""
        if not any(group.role == "monitoring" for group in expected.groups):
            return []
        return monitoring_instances(self.account, self.name, (CLUSTER, ENVIRONMENT))

    def _nothing(self) -> TrainyardError:
        return TrainyardError(
            f"there is no cluster {self.name} in {self.account.region}, and no record of its nodes",
            where=f"s3://{self.bucket}/{folder(self.name)}",
            hint="check the name, --region and --profile, or name the bucket of its spec with --bucket",
        )


def of_queue(nodes: ClusterNodes, queue: str) -> ClusterNodes:
    """Return the nodes of a queue or a login pool. Raises InputError where there is none of that name."""
    existing, gone = (
        tuple(node_state for node_state in part if node_state.group == queue) for part in (nodes.present, nodes.gone)
    )
    groups = tuple(group for group in nodes.groups if group.name == queue)
    if not (existing or gone or groups):
        names = sorted({group.name for group in nodes.groups if group.name})
        hint = f"it has {', '.join(names)}" if names else "check the name"
        raise InputError(f"{nodes.name} has no queue {queue!r}", where="--queue", hint=hint)
    return replace(nodes, groups=groups, present=existing, gone=gone)


def of_node(nodes: ClusterNodes, node_name: str) -> ClusterNodes:
    """Return one node by its instance id, or by its host name with those that are gone and had it too.

    Raises InputError where there is none.
    """
    existing, gone = (
        tuple(node_state for node_state in part if node_name in (node_state.id, node_state.hostname))
        for part in (nodes.present, nodes.gone)
    )
    if not (existing or gone):
        hint = f"`trainyard nodes check {nodes.name} --region {nodes.region}` lists them"
        raise InputError(f"{nodes.name} has no node {node_name!r}, and no record of one", where="--node", hint=hint)
    return replace(nodes, present=existing, gone=gone, unread=0, only_node=True)
