"""The logs of a cluster of AWS Batch: what the containers of its jobs print.

Clusters that trainyard makes have a log group of their own, which stays when they go. Where a stack of somebody else
names no group, its jobs log into the one that all jobs of the account share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import BATCH_LOG_GROUP, definitions
from trainyard.edge.aws.batch_queues import BatchResources, batch_of_cluster
from trainyard.edge.aws.cluster_logs import LogGroup, LogStream, group_named, streams
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.operate.logs.job_stream import JobStreamName, parsed_job
from trainyard.operate.logs.job_streams import OfJob, job_streams


class JobLog(NamedTuple):
    """A stream with the job that it is of."""

    stream: LogStream
    parts: JobStreamName | None


@dataclass(frozen=True, slots=True)
class BatchLog:
    """The logs of a Batch cluster."""

    stack: str
    group: LogGroup
    streams: tuple[JobLog, ...]
    whole: bool
    shared: bool
    """Whether others log into the group too, so that it is never read as a whole."""


def batch_stack(account: Account, name: str) -> BatchResources | None:
    """Return what the stack of a Batch cluster has, whoever made it; None where there is none, or one may not ask."""
    try:
        return batch_of_cluster(account, name)
    except NotAllowedError:
        return None


def batch_groups(account: Account, resources: BatchResources) -> tuple[LogGroup, ...]:
    """Return the log groups of a stack that somebody else made: those it has, and those that its jobs log into."""
    defined = (group for one in definitions(account, resources.definitions) for group in one.log_groups)
    names = dict.fromkeys((*resources.log_groups, *defined))
    found = (group_named(account, name) for name in names)
    return tuple(one for one in found if one is not None)


def batch_log(account: Account, name: str, group: LogGroup) -> BatchLog:
    """Return the logs of a Batch cluster that are in a group.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    resources = batch_stack(account, name)
    shared = group.name == BATCH_LOG_GROUP
    listed, whole = _streams(account, group, resources if shared else None)
    jobs = job_streams(account, resources.queues) if resources is not None else {}
    of_jobs = tuple(JobLog(one, _parts(one.name, jobs)) for one in listed)
    return BatchLog(resources.stack if resources else f"{name}-batch", group, of_jobs, whole, shared)


def _streams(account: Account, group: LogGroup, only_of: BatchResources | None) -> tuple[tuple[LogStream, ...], bool]:
    """Return the streams of a group: those of the definitions of a stack, or all of them."""
    beginnings = [""] if only_of is None else [f"{_name(arn)}/" for arn in only_of.definitions]
    found = [streams(account, group.name, beginning) for beginning in dict.fromkeys(beginnings)]
    return tuple(one for some in found for one in some.streams), all(some.whole for some in found)


def _name(arn: str) -> str:
    """Return the name in the ARN of a job definition, without its revision."""
    return arn.rpartition("/")[2].partition(":")[0]


def _parts(name: str, jobs: dict[str, OfJob]) -> JobStreamName | None:
    parts = parsed_job(name)
    job = jobs.get(name)
    if job is None:
        return parts
    known = parts or JobStreamName(name, name)
    return known._replace(job=job.id, job_name=job.name, node=job.node)
