"""A cluster of AWS Batch with the jobs that wait or failed lately, and further questions about it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import JobDetail, QueueJob, described_jobs, jobs_by_status
from trainyard.edge.aws.batch_queues import (
    BatchResources,
    ComputeEnvironment,
    JobQueue,
    compute_environments,
    job_queues,
)
from trainyard.edge.aws.errors import aws_errors
from trainyard.errors import TrainyardError

Answer = TypeVar("Answer")

_JOBS = "its jobs"
_MOST_LISTED = 100  # of a status
_MOST_WAITING = 20
_MOST_FAILED = 10
_MOST_NODES_DESCRIBED = 64
_LATELY_MS = 86_400_000


@dataclass
class BatchFacts:
    """What is known so far. Who may not ask for a part of it gets to know the rest."""

    account: Account
    environments: tuple[ComputeEnvironment, ...] = ()
    queues: tuple[JobQueue, ...] = ()
    waiting: tuple[JobDetail, ...] = ()
    """Jobs that are RUNNABLE, the longest waiting first, some of each queue."""
    failed: tuple[JobDetail, ...] = ()
    """Jobs that failed in the last day, and nodes of them."""
    running: dict[str, int] = field(default_factory=dict)
    """How many jobs run or start, by the ARN of their queue."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why nobody knows a part, by its name."""
    _answers: dict[Any, Any] = field(default_factory=dict)

    def ask(self, part: str, question: Callable[..., Answer], *about: Hashable) -> Answer | None:
        """Return the answer to a question about something, asked once; None where nobody gives any: see ``refuses``."""
        key = (question, about)
        if key not in self._answers:
            try:
                with aws_errors(self.account.region):
                    self._answers[key] = question(self.account, *about)
            except TrainyardError as error:
                self.refused.setdefault(part, error.problem)
                self._answers[key] = None
        return cast("Answer | None", self._answers[key])

    def refuses(self, part: str) -> bool:
        """Return whether nobody may look at a part."""
        return part in self.refused

    def environments_of(self, job: JobDetail) -> tuple[ComputeEnvironment, ...]:
        """Return the environments of a job's queue, in the order in which they are tried."""
        queue = next((queue for queue in self.queues if job.queue in (queue.arn, queue.name)), None)
        by_key = {key: environment for environment in self.environments for key in (environment.arn, environment.name)}
        return tuple(by_key[arn] for arn in queue.environments if arn in by_key) if queue is not None else ()

    def waiting_for(self, environment: ComputeEnvironment) -> tuple[JobDetail, ...]:
        """Return the jobs that wait and might run in an environment."""
        return tuple(job for job in self.waiting if environment in self.environments_of(job))


def facts_of(account: Account, resources: BatchResources) -> BatchFacts:
    """Return what is known of a cluster by its environments, queues and jobs."""
    facts = BatchFacts(account)
    facts.environments = facts.ask("its compute environments", compute_environments, resources.environments) or ()
    facts.queues = facts.ask("its job queues", job_queues, resources.queues) or ()
    waiting: list[QueueJob] = []
    failed: list[QueueJob] = []
    for queue in facts.queues:
        jobs = {status: _jobs(facts, queue, status) for status in ("RUNNABLE", "STARTING", "RUNNING", "FAILED")}
        waiting += sorted(jobs["RUNNABLE"], key=lambda job: job.created_ms)[:_MOST_WAITING]
        failed += jobs["FAILED"]
        facts.running[queue.arn] = len(jobs["RUNNING"]) + len(jobs["STARTING"])
    facts.waiting = facts.ask(_JOBS, described_jobs, tuple(job.id for job in waiting)) or ()
    facts.failed = facts.ask(_JOBS, described_jobs, tuple(_lately(failed, account.clock.now()))) or ()
    return facts


def _jobs(facts: BatchFacts, queue: JobQueue, status: str) -> tuple[QueueJob, ...]:
    jobs = facts.ask(_JOBS, jobs_by_status, queue.arn, status, _MOST_LISTED)
    return jobs.jobs if jobs is not None else ()


def _lately(failed: list[QueueJob], now_s: float) -> Iterator[str]:
    """Yield the last jobs that failed in the last day, each with its nodes."""
    ended = {job: job.stopped_ms or job.created_ms for job in failed}
    late = [job for job in failed if ended[job] >= now_s * 1000 - _LATELY_MS]
    for job in sorted(late, key=lambda job: ended[job], reverse=True)[:_MOST_FAILED]:
        yield from _with_nodes(job)


def _with_nodes(job: QueueJob) -> Iterator[str]:
    yield job.id
    yield from (f"{job.id}#{node}" for node in range(min(job.nodes or 0, _MOST_NODES_DESCRIBED)))
