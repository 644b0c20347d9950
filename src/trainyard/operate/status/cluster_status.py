"""A cluster, or an environment, as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from trainyard.deploy.record import Deployment
from trainyard.edge.aws.fleet_status import FleetStatus
from trainyard.edge.aws.nodes import Node
from trainyard.edge.aws.stacks import StackState
from trainyard.operate.monitoring.access import MonitoringAccess
from trainyard.operate.status.concern import Concern
from trainyard.operate.status.failures import Failure
from trainyard.operate.status.file_systems import FileSystem
from trainyard.operate.status.node_hours import NodeHours
from trainyard.operate.status.queues import ComputeResource
from trainyard.operate.status.reservations import Reservation
from trainyard.platforms.batch.status.batch_status import BatchStatus
from trainyard.platforms.eks.status.eks_status import EksStatus


@dataclass(frozen=True, slots=True)
class Status:
    """A cluster as it is now."""

    name: str
    region: str
    at: float
    """When, in seconds since 1970."""
    record: Deployment | None
    """None for a cluster that trainyard did not make."""
    stacks: tuple[StackState, ...]
    """The cluster's own stack last."""
    nodes: tuple[Node, ...] = ()
    monitoring: MonitoringAccess | None = None
    """What the stack of its monitoring, or of its environment's, says; None where nothing is measured."""
    fleet: FleetStatus | None = None
    """None where no head node has written any, and of an environment."""
    queues: tuple[ComputeResource, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    failures: tuple[Failure, ...] = ()
    cost: NodeHours | None = None
    batch: BatchStatus | None = None
    """What there is of AWS Batch; None of a cluster of another platform, and of an environment."""
    eks: EksStatus | None = None
    """What there is of Amazon EKS; None of a cluster of another platform, and of an environment."""
    concerns: tuple[Concern, ...] = ()
    """Errors first."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """Why nobody knows a part, by its name."""

    @property
    def problem(self) -> str | None:
        """Why it is not up; None where it is."""
        return next((one.what for one in self.concerns if one.severity == "error"), None)

    @property
    def up(self) -> bool:
        """Return whether it is whole, what all of it depends on runs, and nodes come."""
        return self.problem is None

    @property
    def head_node(self) -> Node | None:
        """The head node, or what is left of it."""
        return next((node for node in self.nodes if node.role == "HeadNode"), None)

    def node_counts(self) -> dict[tuple[str, str | None, str], int]:
        """Return how many nodes there are by role, queue and state."""
        return dict(Counter((node.role, node.queue, node.state) for node in self.nodes))
