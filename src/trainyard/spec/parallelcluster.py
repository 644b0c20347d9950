"""What only AWS ParallelCluster has."""

from __future__ import annotations

from typing import Literal

from trainyard.field import Positive
from trainyard.record import Record
from trainyard.spec.overlay import Overlay
from trainyard.spec.slurm import Slurm
from trainyard.spec.text import Version


class Timeouts(Record):
    """How long nodes may take to come up."""

    head_node_s: Positive = 2100
    """Seconds for the head node. CloudFormation waits that long; it can only be set when the cluster is created."""
    compute_node_s: Positive = 2100
    """Seconds for a compute node. Slurm's ResumeTimeout; it can be changed by an update."""


class ParallelCluster(Record):
    """AWS ParallelCluster and its Slurm."""

    version: Version = "3.16.1"
    """Version of aws-parallelcluster. A cluster keeps the version that made it."""
    imds: Literal["v2.0", "v1.0"] = "v2.0"
    """Version of the instance metadata service. v1.0 also answers requests without a session."""
    slurm: Slurm = {}  # type: ignore[assignment]  # plain data, validated like input
    """Slurm."""
    overlay: Overlay = {}
    """Keys of cluster.yaml that the spec does not have, as ParallelCluster writes them. They are merged last; queues,
    their ComputeResources and pools of login nodes by their Name. Other entries of lists come after those that are
    there. A key that the spec has is refused here."""
