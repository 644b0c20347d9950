"""What is told of a Batch cluster beside what every cluster has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class ComputeEnvironmentStatus(NamedTuple):
    """A compute environment with the instances that are there."""

    name: str
    state: str
    """ENABLED where it may start instances, otherwise DISABLED; MISSING where the stack names one that is not there."""
    status: str
    """VALID, INVALID, or what AWS is doing with it."""
    reason: str
    kind: str
    """EC2, SPOT and so on."""
    instance_types: tuple[str, ...]
    min_vcpus: int
    desired_vcpus: int
    max_vcpus: int
    reservation: str | None
    """The id of a reservation or Capacity Block, or the ARN of a group of them, that its launch template names."""
    states: Mapping[str, int]
    """How many instances there are in each state."""
    late: tuple[str, ...]
    """Instances that have run for long and that ECS does not know, so that no job gets there."""


class QueueStatus(NamedTuple):
    """A job queue with how many jobs it has."""

    name: str
    state: str
    """ENABLED where it takes jobs, otherwise DISABLED; MISSING where the stack names one that is not there."""
    status: str
    reason: str
    environments: tuple[str, ...]
    """Names, in the order in which they are tried."""
    jobs: Mapping[str, int]
    """How many jobs are in each status, of those that have any."""
    more: tuple[str, ...]
    """Statuses with more jobs than were counted."""


class WaitingJob(NamedTuple):
    """A job that waits for instances."""

    id: str
    name: str
    queue: str
    nodes: int | None
    """None for a job in one container."""
    submitted: str
    """When, as an ISO 8601 time: Batch does not tell since when it is RUNNABLE."""
    reason: str
    """What Batch says of it; empty where it says nothing."""


class JobImage(NamedTuple):
    """An image that job definitions name."""

    image: str
    definitions: tuple[str, ...]
    there: bool | None
    """None where its registry is not ECR's private one, or may not be asked."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """What there is of Batch."""

    stack: str
    environments: tuple[ComputeEnvironmentStatus, ...] = ()
    queues: tuple[QueueStatus, ...] = ()
    waiting: tuple[WaitingJob, ...] = ()
    """Those that are RUNNABLE, the longest waiting first, some of them."""
    images: tuple[JobImage, ...] = ()
    log_groups: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()
