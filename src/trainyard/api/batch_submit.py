"""Jobs on a cluster of AWS Batch: submitted, followed and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws import batch_jobs
from trainyard.edge.aws.batch_jobs import BatchJob
from trainyard.errors import InputError
from trainyard.platforms.batch.jobs.cluster import batch_cluster
from trainyard.platforms.batch.jobs.job_definition import job_placement, too_large
from trainyard.platforms.batch.jobs.job_progress import LONGEST_S, JobFollower, exit_status, outcome_words
from trainyard.platforms.batch.jobs.request import JobOptions, submit_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account

__all__ = [
    "BatchJob",
    "JobOptions",
    "SubmittedBatchJob",
    "cancel_batch_job",
    "exit_status",
    "follow_batch_job",
    "job_of_cluster",
    "outcome_words",
    "submit_batch_job",
]


class SubmittedBatchJob(NamedTuple):
    """A job that was submitted."""

    id: str
    name: str
    queue: str
    definition: str
    """With its revision."""
    nodes: int


def submit_batch_job(  # noqa: PLR0913  one for each option
    name: str,
    where: Account,
    job: str = "stress-ng",
    options: JobOptions | None = None,
    *,
    queue: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> SubmittedBatchJob:
    """Submit a job to a cluster: stress-ng, nccl, torchrun, or any multi-node job definition by name or ARN.

    Raises InputError where there is no such job or queue, or the definition does not allow what is wanted, and
    TrainyardError where there is no such cluster or AWS refuses the job.
    """
    options = options or JobOptions()
    options.refuse_wrong()
    cluster = batch_cluster(where, name)
    of = job_placement(where, cluster, job, queue)
    short = job if job in of.queue.definitions else of.definition.name.removeprefix(f"{name}-")
    parameters = submit_parameters(f"{name}-{short}", of.queue.arn, of.definition, options)
    warning = too_large(where, of, options.nodes)
    if warning is not None:
        tell(warning)
    id_ = batch_jobs.submit(where, parameters)
    definition = f"{of.definition.name}:{of.definition.revision}"
    return SubmittedBatchJob(
        id_, parameters["jobName"], of.queue.name, definition, options.nodes or of.definition.nodes
    )


def follow_batch_job(  # noqa: PLR0913  one for each option
    name: str,
    where: Account,
    id_: str,
    *,
    within_s: float | None = None,
    show: Callable[[str], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> BatchJob:
    """Follow a job until it has ended, and return it. ``show`` gets each line of its main node's log.

    Raises TrainyardError where AWS cannot be reached for long or the time is over; the job goes on.
    """
    place = f"{name} --region {where.region}{f' --profile {where.profile}' if where.profile else ''}"
    command = f"trainyard batch submit {place}"
    following = JobFollower(
        where,
        show,
        tell,
        stuck_hint=f"`trainyard diagnose {place}` says why it does not start",
        go_on_hint=f"it goes on; `{command} --follow {id_}` follows it, `{command} --cancel {id_}` ends it",
    )
    return following.follow(id_, LONGEST_S if within_s is None else within_s)


def job_of_cluster(name: str, where: Account, id_: str) -> BatchJob:
    """Return a job of a cluster. Raises InputError where Batch knows none, or it is in the queue of somebody else."""
    cluster = batch_cluster(where, name)
    job = batch_jobs.describe(where, id_) if id_ and "#" not in id_ else None
    if job is None:
        hint = "`aws batch list-jobs --job-queue QUEUE --job-status SUCCEEDED` lists them; Batch forgets old ones"
        raise InputError(f"AWS Batch knows no job {id_!r} in {where.region}", where="JOBID", hint=hint)
    if job.queue not in {queue.arn for queue in cluster.queues}:
        problem = f"job {id_} is in the queue {job.queue.rpartition('/')[2]}, which is not one of {name}"
        raise InputError(problem, where="JOBID", hint="check the id and the name of the cluster")
    return job


def cancel_batch_job(name: str, where: Account, id_: str) -> BatchJob:
    """End a job of a cluster, also one that waits, and return how it was. One that has ended stays as it is."""
    job = job_of_cluster(name, where, id_)
    if not job.ended:
        batch_jobs.terminate(where, id_, "ended by trainyard batch submit --cancel")
    return job
