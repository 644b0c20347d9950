"""A cluster, or an environment, as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from shlex import join
from typing import Any, NamedTuple, Protocol

from trainyard.deploy.drift import DriftDifference
from trainyard.deploy.record import Deployment
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.edge.aws.stacks import StackState
from trainyard.operate.monitoring.access import MonitoringAccess
from trainyard.operate.status.failures import Failure
from trainyard.operate.status.file_systems import FileSystemStatus
from trainyard.operate.status.node_hours import NodeHours
from trainyard.operate.status.reservations import Reservation
from trainyard.render.tags import CLUSTER


class Concern(NamedTuple):
    """Something to look at, and the command to run next."""

    severity: str
    """error where the cluster is not up because of it, otherwise warning."""
    what: str
    command: str | None = None


class PlatformStatus(Protocol):
    """What only one platform has: how it is judged, and how it is told."""

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up."""

    @property
    def watch_words(self) -> tuple[str, ...]:
        """The words of the trainyard command that follows how its nodes come up; empty where none does."""

    @property
    def has_nodes(self) -> bool:
        """Whether it has nodes for jobs, of which metrics are expected."""

    def version_note(self, status: Status) -> str:
        """Return the platform with its version, as far as one is recorded; empty of an environment."""

    def concerns(self, status: Status, *, broken: bool) -> Iterable[Concern]:
        """Return what is wrong; ``broken`` says that its stacks, or what is not known of it, are errors already."""

    def lines(self, status: Status) -> Iterable[str]:
        """Return what is told of it to a person, one line each."""

    def other_costs(self) -> Iterable[str]:
        """Return what is paid for beside instances, each with its price where that is known."""

    def values(self, status: Status) -> dict[str, Any]:
        """Return what is told of it as JSON, by keys that only this platform has."""


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
    nodes: tuple[ClusterNode, ...] = ()
    monitoring: MonitoringAccess | None = None
    """What the stack of its monitoring, or of its environment's, says; None where nothing is measured."""
    reservations: tuple[Reservation, ...] = ()
    file_systems: tuple[FileSystemStatus, ...] = ()
    failures: tuple[Failure, ...] = ()
    cost: NodeHours | None = None
    idle: NodeHours | None = None
    """The hours of those of its instances that run and have no job; None where nobody knows which these are."""
    drift: tuple[DriftDifference, ...] = ()
    """What somebody else has changed since the last deployment."""
    platform: PlatformStatus | None = None
    """What only its platform has; None where no platform knows the cluster."""
    concerns: tuple[Concern, ...] = ()
    """Errors first."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """Why a part is not known, by its name."""

    @property
    def problem(self) -> str | None:
        """Why it is not up; None where it is."""
        return next((concern.what for concern in self.concerns if concern.severity == "error"), None)

    @property
    def up(self) -> bool:
        """Return whether it is whole, what all of it depends on runs, and nodes come."""
        return self.problem is None

    @property
    def is_made_by_trainyard(self) -> bool:
        """Return whether it is recorded, or has a stack of ours."""
        return self.record is not None or any(CLUSTER in stack.tags for stack in self.stacks)

    def has_own_stack(self, name: str) -> bool:
        """Return whether there is a stack of this name, or the stacks are not known."""
        return "stacks" in self.unknown or any(stack.name == name for stack in self.stacks)

    def command(self, *words: str) -> str:
        """Return a command of trainyard for this cluster."""
        return join(["trainyard", *words, self.name, "--region", self.region])

    def node_counts(self) -> dict[tuple[str, str | None, str], int]:
        """Return how many nodes there are by role, queue and state."""
        return dict(Counter((node.role, node.queue, node.state) for node in self.nodes))
