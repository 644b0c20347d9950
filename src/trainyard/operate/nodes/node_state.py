"""One node as EC2 and its own record show it together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from trainyard.deploy.node_record import NodeRecord, StepRecord, disagreement, role_of
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.operate.nodes.bucket_records import RecordReading
from trainyard.operate.nodes.expected_nodes import Group

ACTIVE = ("pending", "running")
GONE = "gone"


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node that is there, or one that is gone and of which a record is left."""

    id: str
    role: str
    """head, login, compute or monitoring."""
    group: str | None
    """Its queue or its pool."""
    compute_resource: str | None
    instance_type: str
    state: str
    """As EC2 says, or gone."""
    launched: float | None
    """In seconds since 1970."""
    reading: RecordReading | None
    expects_record: bool
    """Whether anything is published that it should have run."""

    @property
    def record(self) -> NodeRecord | None:
        """Return what it wrote; None where it wrote nothing, or nothing that can be read."""
        return self.reading.record if self.reading else None

    @property
    def status(self) -> str:
        """Return the status in its record, or unreadable, unreported or not-expected."""
        if self.record is not None:
            return self.record.status
        if self.reading is not None:
            return "unreadable"
        return "unreported" if self.expects_record else "not-expected"

    @property
    def active(self) -> bool:
        """Return whether it runs or is about to."""
        return self.state in ACTIVE

    @property
    def ready(self) -> bool:
        """Return whether it runs and has everything, or was to have nothing."""
        return self.state == "running" and self.status in ("ready", "not-expected")

    @property
    def step(self) -> StepRecord | None:
        """Return the step that failed, or the one that runs; None where there is neither."""
        return self.record.step if self.record else None

    @property
    def hostname(self) -> str:
        """Return the name of the machine, which is the name of a compute node in Slurm; empty where nobody knows it."""
        return self.record.hostname if self.record else ""

    @property
    def began(self) -> float | None:
        """Return when it began to come up, in seconds since 1970."""
        started = self.record.started if self.record else None
        return started if started is not None else self.launched

    def seconds(self, now: float) -> float | None:
        """Return how long its bootstrap took, or has taken until now."""
        if self.record is not None and self.record.status != "running":
            return self.record.seconds
        comes_up = self.status in ("running", "unreported") and self.active
        return max(0.0, now - self.began) if comes_up and self.began is not None else None

    def age_s(self, now: float) -> float:
        """Return how long it has been there. EC2 knows, and the node's own clock may be wrong."""
        since = self.launched if self.launched is not None else self.began
        return 0.0 if since is None else max(0.0, now - since)

    def __str__(self) -> str:
        """Name it, for messages."""
        return f"{self.hostname} ({self.id})" if self.hostname else self.id

    def of(self, group: Group) -> bool:
        """Return whether it is one of these nodes."""
        resource = group.compute_resource
        return (self.role, self.group) == (group.role, group.name) and resource in (None, self.compute_resource)

    @property
    def place(self) -> str:
        """Say which of the nodes it is."""
        if self.role == "compute":
            return f"queue {self.group}"
        if self.role == "monitoring":
            return "monitoring instance"
        return f"login pool {self.group}" if self.role == "login" and self.group else f"{self.role} node"


def node_that_is_there(node: ClusterNode, reading: RecordReading | None, *, expects_record: bool) -> NodeState:
    """Return an instance with what it wrote."""
    if reading and reading.record and (problem := disagreement(reading.record, node)):
        reading = reading._replace(record=None, problem=problem)
    launched = datetime.fromisoformat(node.launched).timestamp() if node.launched else None
    return NodeState(
        node.id, role_of(node), node.pool or node.queue, node.compute_resource, node.instance_type, node.state,
        launched, reading, expects_record,
    )  # fmt: skip


def node_that_is_gone(reading: RecordReading) -> NodeState:
    """Return what is left of an instance: all that is known is what it wrote itself."""
    record = reading.record
    role = record.role.partition("-")[0] if record else "unknown"
    return NodeState(
        reading.instance_id, role, record.queue if record else None, None, record.instance_type if record else "",
        GONE, None, reading, expects_record=True,
    )  # fmt: skip
