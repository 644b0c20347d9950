"""Settings of Slurm that one version line of ParallelCluster refuses."""

from __future__ import annotations

from trainyard.record import Record


class RefusedSlurmSettings(Record):
    """Names of settings in lower case, by the place where they are refused."""

    cluster: tuple[str, ...]
    """In slurm.conf, for the whole cluster."""
    accounting: tuple[str, ...]
    """In slurm.conf, for a cluster with accounting."""
    queue: tuple[str, ...]
    """Of a queue."""
    compute_resource: tuple[str, ...]
    """Of a compute resource."""
