"""Running bandwidth tests on a cluster, and judging what they show."""

from __future__ import annotations

from trainyard.bench.submission.cluster import BenchCluster, local_cluster, named_cluster
from trainyard.bench.submission.job_selection import JobSelection
from trainyard.bench.submission.submission_result import (
    JobResult,
    SubmissionResult,
    cancel_jobs,
    mpi_job_of,
    submit_jobs,
)

__all__ = [
    "BenchCluster",
    "JobResult",
    "JobSelection",
    "SubmissionResult",
    "cancel_jobs",
    "local_cluster",
    "mpi_job_of",
    "named_cluster",
    "submit_jobs",
]
