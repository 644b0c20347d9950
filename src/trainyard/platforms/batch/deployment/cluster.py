"""The cluster where it is one of AWS Batch: one more stack, before whose deletion the jobs in its queues are ended.

CloudFormation disables queues and compute environments by itself before it deletes them, but a queue goes only when its
jobs have, and it ends those without a word.
https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteJobQueue.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from trainyard.deploy.step import Outcome
from trainyard.deploy.steps.stack import StackStep, refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_queues import UnfinishedJob, close_queue, terminate, unfinished_jobs
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.platforms.batch import BATCH
from trainyard.platforms.batch.rendering.documents import CLUSTER
from trainyard.render.cloudformation.stack import Kind

_OUTPUT = re.compile(r"JobQueue\d*")
_REASON = "its cluster is destroyed"
_MOST_TOLD = 10
_POLL_S = 10.0
_POLLS = 60  # ten minutes; what ends later holds up its queue, for which CloudFormation waits


@dataclass(frozen=True)
class BatchStack(StackStep):
    """Made as the other stacks are."""

    kind: Kind = "batch"
    contents: str = CLUSTER.contents

    def undo(self, work: Work) -> Outcome:
        """End the jobs, then delete the stack. Its registry of images stays, as data does."""
        stack_state = find_stack(work.account, BATCH.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        ended = 0 if stack_state is None else _end_jobs(work, list(job_queues(stack_state).values()))
        outcome = super().undo(work)
        return replace(outcome, detail=f"{outcome.detail}, with {ended} jobs ended") if ended else outcome


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


def _end_jobs(work: Work, queues: list[str]) -> int:
    """Let the queues take no more jobs, end those that they have, and return how many these were."""
    for queue in queues:
        close_queue(work.account, queue)
    jobs = jobs_in(work.account, queues)
    for number, job in enumerate(jobs):
        if number < _MOST_TOLD:
            work.tell(f"ends {job}")
        terminate(work.account, job, _REASON)
    if len(jobs) > _MOST_TOLD:
        work.tell(f"ends {len(jobs) - _MOST_TOLD} more jobs")
    _await_end(work, queues if jobs else [])
    return len(jobs)


def _await_end(work: Work, queues: list[str]) -> None:
    left = 0
    for _ in range(_POLLS):
        left = sum(len(unfinished_jobs(work.account, queue)) for queue in queues)
        if not left:
            return
        work.account.clock.sleep(_POLL_S)
    work.tell(f"{left} jobs are still ending; CloudFormation waits for them before it deletes their queue")
