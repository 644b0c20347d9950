"""AWS Batch before its queues are deleted: which jobs are not over, and what ends them.

https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteJobQueue.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code, words

# https://docs.aws.amazon.com/batch/latest/userguide/job_states.html: those that run first.
_UNFINISHED = ("RUNNING", "STARTING", "RUNNABLE", "PENDING", "SUBMITTED")


class UnfinishedJob(NamedTuple):
    """A job that waits or runs."""

    id: str
    name: str
    status: str
    queue: str

    def __str__(self) -> str:
        """Say which, where, and what it does."""
        return f"job {self.name} ({self.id}) in queue {self.queue}, {self.status}"


def unfinished_jobs(account: Account, queue: str) -> list[UnfinishedJob]:
    """Return the jobs of a queue that are not over, those that run first; none where there is no such queue."""
    try:
        return list(_unfinished(account, queue))
    except ClientError as error:
        if _is_gone(error):
            return []
        raise account_error(error, account.region, f"list the jobs of queue {queue}") from error


def close_queue(account: Account, queue: str) -> None:
    """Let a queue take no more jobs. One that is gone takes none."""
    try:
        account.client("batch").update_job_queue(jobQueue=queue, state="DISABLED")
    except ClientError as error:
        if not _is_gone(error):
            raise account_error(error, account.region, f"disable queue {queue}") from error


def terminate(account: Account, job: UnfinishedJob, reason: str) -> None:
    """End a job, in whatever state it is."""
    try:
        account.client("batch").terminate_job(jobId=job.id, reason=reason)
    except ClientError as error:
        raise account_error(error, account.region, f"end {job}") from error


def _unfinished(account: Account, queue: str) -> Iterator[UnfinishedJob]:
    pages = account.client("batch").get_paginator("list_jobs")
    for status in _UNFINISHED:
        for page in pages.paginate(jobQueue=queue, jobStatus=status):
            for one in page["jobSummaryList"]:
                yield UnfinishedJob(one["jobId"], one["jobName"], one["status"], queue.rpartition("/")[2])


def _is_gone(error: ClientError) -> bool:
    """Say whether there is no such queue. Batch has one code for everything that is wrong with a request."""
    said = words(error).lower()
    return code(error) == "ClientException" and ("not found" in said or "does not exist" in said)
