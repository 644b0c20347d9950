"""What only AWS ParallelCluster has."""

from __future__ import annotations

from typing import Literal

from trainyard.field import Positive
from trainyard.record import Record
from trainyard.spec.text import Version


class Timeouts(Record):
    """How long nodes may take to come up."""

    head_node_s: Positive = 1800
    """Seconds for the head node. CloudFormation waits that long; it can only be set when the cluster is created."""
    compute_node_s: Positive = 1800
    """Seconds for a compute node. Slurm's ResumeTimeout; it can be changed by an update."""


class Slurm(Record):
    """Settings of the scheduler."""

    scaledown_idle_minutes: Positive = 10
    """Minutes after which an idle dynamic node is given back."""
    queue_update_strategy: Literal["COMPUTE_FLEET_STOP", "DRAIN", "TERMINATE"] = "DRAIN"
    """What happens to running nodes when an update changes their queue."""
    job_exclusive: bool = False
    """Give every job whole nodes."""


class ParallelCluster(Record):
    """AWS ParallelCluster and its Slurm."""

    version: Version = "3.16.1"
    """Version of aws-parallelcluster. A cluster keeps the version that made it."""
    slurm: Slurm = {}  # type: ignore[assignment]  # plain data, validated like input
    """Slurm."""
