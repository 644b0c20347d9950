"""What has become of a job, as the exit status of whoever ran it."""

from __future__ import annotations

from trainyard.edge.aws.batch_jobs import BatchJob

_MOST = 255


def exit_status(job: BatchJob) -> int:
    """Return 0 for a job that succeeded, otherwise the exit code of its main node's container, 1 where it has none."""
    if job.status == "SUCCEEDED":
        return 0
    exit_code = job.main.exit_code
    return exit_code if exit_code is not None and 0 < exit_code <= _MOST else 1


def outcome_words(job: BatchJob) -> str:
    """Return how a job ended, on one line."""
    if job.status == "SUCCEEDED":
        return f"job {job.id} has succeeded"
    exit_code = "" if job.main.exit_code is None else f" with exit code {job.main.exit_code}"
    reasons = dict.fromkeys(reason for reason in (job.reason, job.main.reason) if reason)
    return ": ".join((f"job {job.id} has failed{exit_code}", *(["; ".join(reasons)] if reasons else [])))
