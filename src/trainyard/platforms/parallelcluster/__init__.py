"""AWS ParallelCluster."""

from __future__ import annotations

from trainyard.platform_parts import ClusterEvidence, Platform, PlatformRehearsal


def _rehearsal() -> PlatformRehearsal:
    from trainyard.platforms.parallelcluster import rehearsal

    return rehearsal


def _cluster_evidence() -> ClusterEvidence:
    from trainyard.platforms.parallelcluster import diagnosis

    return diagnosis


PARALLELCLUSTER = Platform(
    name="parallelcluster",
    title="AWS ParallelCluster",
    scheduler="slurm",
    made_by="parallelcluster",
    has_head_node=True,
    nodes_run_release=True,
    control_plane_spans_zones=False,
    rehearsal=_rehearsal,
    mounts_scratch=True,
    can_host_monitoring=True,
    cluster_evidence=_cluster_evidence,
)
