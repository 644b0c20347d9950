"""Running bandwidth tests on a cluster, and judging what they show."""

from __future__ import annotations

from trainyard.bench.job_selection import JobSelection
from trainyard.bench.submission_result import (
    JobResult,
    SubmissionResult,
    cancel_jobs,
    mpi_job_of,
    submit_jobs,
)
from trainyard.submission.cluster import JobCluster, local_cluster, named_cluster

__all__ = [
    "JobCluster",
    "JobResult",
    "JobSelection",
    "SubmissionResult",
    "cancel_jobs",
    "local_cluster",
    "mpi_job_of",
    "named_cluster",
    "submit_jobs",
]
