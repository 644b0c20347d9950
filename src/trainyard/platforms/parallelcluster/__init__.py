"""AWS ParallelCluster."""

from __future__ import annotations

from trainyard.platform_parts import Platform

PARALLELCLUSTER = Platform(
    name="parallelcluster",
    title="AWS ParallelCluster",
    scheduler="slurm",
    made_by="parallelcluster",
    has_head_node=True,
    nodes_run_release=True,
)
