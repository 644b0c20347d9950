"""What only AWS ParallelCluster has."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Text
from trainyard.record import Record
from trainyard.spec.overlay import Overlay
from trainyard.spec.slurm import Slurm
from trainyard.spec.text import MountDir, Version

# https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-Name
StorageName = Annotated[
    str, Text(r"^[A-Za-z][A-Za-z0-9_-]{0,29}$", "1 to 30 letters, digits, hyphens and _, beginning with a letter")
]


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
    storage_names: dict[MountDir, StorageName] = {}
    """Names of file systems in cluster.yaml by their mount, where they are not made of it. Another name is another file
    system to ParallelCluster."""
    adopted: bool = False
    """The cluster is older than this spec. Then cluster.yaml holds what the spec writes, and nothing that it leaves to
    defaults: no tags, policies or settings that the cluster does not have. The overlay may write any other key."""
