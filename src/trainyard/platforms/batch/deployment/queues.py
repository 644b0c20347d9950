"""The job queues of a cluster of AWS Batch, as its stack tells of them, and the jobs in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_shutdown import UnfinishedJob, unfinished_jobs
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.platforms.batch import BATCH

_OUTPUT = re.compile(r"JobQueue\d*")


def job_queues(stack: StackState) -> dict[str, str]:
    """Return the names of the queues by the outputs that they are: JobQueue, JobQueue2 and so on."""
    return {output: value.rpartition("/")[2] for output, value in stack.outputs.items() if _OUTPUT.fullmatch(output)}


def jobs_in(account: Account, queues: Iterable[str]) -> list[UnfinishedJob]:
    """Return the jobs that are not over."""
    return [job for queue in queues for job in unfinished_jobs(account, queue)]


def jobs_of_cluster(work: Work) -> list[UnfinishedJob]:
    """Return the jobs that destroying the cluster would end; none where it is not one of Batch."""
    found = find_stack(work.account, BATCH.cluster_stack(work.name))
    return [] if found is None or not work.owns(found.tags) else jobs_in(work.account, job_queues(found).values())
