"""The log groups of a cluster of AWS Batch, and which of its streams are of which job and node.

Clusters that trainyard makes have a log group of their own, which stays when they go. Where a stack of somebody else
names no group, its jobs log into the one that all jobs of the account share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trainyard.counts import count_text
from trainyard.edge.aws import cluster_logs as cloudwatch
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import BATCH_LOG_GROUP, QueueJob, definitions, described_jobs, latest_jobs
from trainyard.edge.aws.batch_queues import BatchResources, batch_of_cluster
from trainyard.edge.aws.cluster_logs import GroupNames, LogGroup, LogStream, group_named
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import ClusterLog, ListedGroup, Stream
from trainyard.operate.logs.export import Export, ExportPart
from trainyard.operate.logs.log_filter import LogSelection

STREAMS_ARE_OF_JOBS = True
PODS = None
_MOST_SHOWN = 20

# The log group of batch.yaml, which CloudFormation names after its stack.
GROUP_NAMES = (GroupNames("{cluster}-batch-LogGroup-", "[A-Za-z0-9]+"),)
_FORM = re.compile(r"(?P<kind>[^/]+)/(?P<container>[^/]+)/(?P<task>[0-9a-f]{32}|[0-9a-f-]{36})")
_MOST_JOBS = 100
_MOST_NODES = 1000  # ten calls
_REMEMBERED_MS = 30 * 86_400_000


def groups(account: Account, cluster: str) -> tuple[LogGroup, ...]:
    """Return the log groups of clusters of this name that trainyard made, the newest first."""
    return cloudwatch.groups(account, cluster, GROUP_NAMES)


def groups_of_stack(account: Account, cluster: str) -> tuple[LogGroup, ...]:
    """Return the log groups of a stack that somebody else made: those it has, and those that its jobs log into."""
    resources = _resources(account, cluster)
    if resources is None:
        return ()
    defined = (group for definition in definitions(account, resources.definitions) for group in definition.log_groups)
    groups = (group_named(account, name) for name in dict.fromkeys((*resources.log_groups, *defined)))
    return tuple(group for group in groups if group is not None)


def main_group(groups: Sequence[LogGroup]) -> LogGroup:
    """Return the newest group: others are of former clusters."""
    return groups[0]


def list_streams(account: Account, cluster: str, group: LogGroup) -> ListedGroup:
    """Return the streams of a group with the jobs that they are of."""
    resources = _resources(account, cluster)
    shared = group.name == BATCH_LOG_GROUP
    log_streams, whole = _streams(account, group, resources if shared else None)
    jobs = job_streams(account, resources.queues) if resources is not None else {}
    streams = tuple(
        Stream(log_stream.name, _parts(log_stream.name, jobs), log_stream.first_ms, log_stream.last_ms)
        for log_stream in log_streams
    )
    return ListedGroup(streams, whole, resources.stack if resources else f"{cluster}-batch", shared)


def parsed_stream(name: str) -> JobStreamName | None:
    """Return the parts of a stream's name; None where it is of another platform."""
    return parsed_job(name)


def summary(log: ClusterLog, streams: Sequence[Stream]) -> str:  # noqa: ARG001  part of the protocol
    """Return of how many jobs some streams are."""
    jobs = {stream.parts.job for stream in streams if isinstance(stream.parts, JobStreamName)} - {None}
    return f"{count_text(len(jobs), 'job')} that Batch still knows"


def export_part(export: Export, kubectl_of: KubectlOf) -> ExportPart | None:  # noqa: ARG001  part of the protocol
    """Return nothing: all logs are in CloudWatch."""
    return None


def streams_of(account: Account, log: ClusterLog, selection: LogSelection) -> tuple[Stream, ...]:  # noqa: ARG001  part of the protocol
    """Return the streams of some jobs and of some of their nodes. Raises InputError where one has none."""
    with_parts = [(stream, stream.parts) for stream in log.streams if isinstance(stream.parts, JobStreamName)]
    for job in selection.jobs:
        if not any(parts.is_of_job(job) for _, parts in with_parts):
            raise _no_such_job(log, job, [parts for _, parts in with_parts])
    if selection.jobs:
        with_parts = [
            (stream, parts) for stream, parts in with_parts if any(parts.is_of_job(job) for job in selection.jobs)
        ]
    for node in selection.nodes:
        if not any(parts.is_of_node(node) for _, parts in with_parts):
            hint = f"a node of a job is named by its index, such as 0; `trainyard logs {log.name}` lists them"
            raise InputError(f"{log.name} has no logs of a node {node!r}", where="--node", hint=hint)
    if selection.nodes:
        with_parts = [
            (stream, parts) for stream, parts in with_parts if any(parts.is_of_node(node) for node in selection.nodes)
        ]
    return tuple(stream for stream, _ in with_parts) if selection.jobs or selection.nodes else log.streams


def _no_such_job(log: ClusterLog, job: str, all_parts: list[JobStreamName]) -> InputError:
    names = sorted({parts.job_name for parts in all_parts if parts.job_name})
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    listed = f"there are {', '.join(names[:_MOST_SHOWN])}{more}; " if names else ""
    hint = f"{listed}Batch forgets jobs some days after their end, and --log names what kind they were"
    return InputError(f"{log.name} has no logs of a job {job!r}", where="--job", hint=hint)


def _resources(account: Account, cluster: str) -> BatchResources | None:
    """Return what the stack of a Batch cluster has, whoever made it; None where there is none, or one may not ask."""
    try:
        return batch_of_cluster(account, cluster)
    except NotAllowedError:
        return None


def _streams(account: Account, group: LogGroup, only_of: BatchResources | None) -> tuple[tuple[LogStream, ...], bool]:
    """Return the streams of a group: those of the definitions of a stack, or all of them."""
    beginnings = [""] if only_of is None else [f"{_name(arn)}/" for arn in only_of.definitions]
    pages = [cloudwatch.streams(account, group.name, beginning) for beginning in dict.fromkeys(beginnings)]
    return tuple(stream for some in pages for stream in some.streams), all(some.whole for some in pages)


def _name(arn: str) -> str:
    """Return the name in the ARN of a job definition, without its revision."""
    return arn.rpartition("/")[2].partition(":")[0]


def _parts(name: str, jobs: dict[str, OfJob]) -> JobStreamName | None:
    parts = parsed_job(name)
    job = jobs.get(name)
    if job is None:
        return parts
    stream_parts = parts or JobStreamName(name, name)
    return stream_parts._replace(job=job.id, job_name=job.name, node=job.node)


class JobStreamName(NamedTuple):
    """What a container logs, and of which job and node it is, as far as Batch still knows."""

    kind: str
    """The prefix, which says what kind of job it is."""
    task: str
    """The id of its task in ECS."""
    job: str | None = None
    """The id of the job."""
    job_name: str | None = None
    node: int | None = None
    """The index of the node of a multi-node job; None also where the job has one container."""

    @property
    def host(self) -> str:
        """Return what people call it: the job and the node, or the task where the job is not known any more."""
        if self.job_name is None:
            return self.task
        return self.job_name if self.node is None else f"{self.job_name}#{self.node}"

    @property
    def label(self) -> str:
        """Return whose log it is and which, in few words."""
        return f"{self.host} {self.kind}"

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""
        return {"log": self.kind, "job_id": self.job, "job_name": self.job_name, "node": self.node}

    def is_of_job(self, job: str) -> bool:
        """Return whether it is of a job, given by its id or its name."""
        return job in (self.job, self.job_name)

    def is_of_node(self, node: str) -> bool:
        """Return whether it is of a node, given by its index, or by the id of the job with it: ID#3."""
        index = None if self.node is None else str(self.node)
        return node == index or (self.job is not None and node == f"{self.job}#{index}")


def parsed_job(name: str) -> JobStreamName | None:
    """Return the parts of a name; None where the stream is of something else."""
    match = _FORM.fullmatch(name)
    return None if match is None else JobStreamName(match["kind"], match["task"])


class OfJob(NamedTuple):
    """A job, and which of its nodes."""

    id: str
    name: str
    node: int | None


def job_streams(account: Account, queues: Iterable[str]) -> dict[str, OfJob]:
    """Return jobs by the names of their streams, of the latest jobs of some queues. Who gets no answer knows none."""
    after_ms = max(int(account.clock.now() * 1000) - _REMEMBERED_MS, 0)
    try:
        jobs = [job for queue in queues for job in latest_jobs(account, queue, after_ms, _MOST_JOBS).jobs]
        newest = sorted(jobs, key=lambda job: job.created_ms, reverse=True)
        names = {job.id: job.name for job in newest}
        described = described_jobs(account, _ids(newest))
    except TrainyardError:  # logs are worth reading without the names of their jobs
        return {}
    return {
        end.stream: OfJob(id_, names.get(id_, job_detail.name), job_detail.node)
        for job_detail in described
        for id_ in [job_detail.id.partition("#")[0]]
        for end in job_detail.ends
        if end.stream
    }


def _ids(jobs: Iterable[QueueJob]) -> Iterator[str]:
    """Yield the ids of nodes, and of jobs in one container, up to a bound: those of a job together or not at all."""
    left = _MOST_NODES
    for job in jobs:
        ids = [job.id] if job.nodes is None else [f"{job.id}#{node}" for node in range(job.nodes)]
        if len(ids) > left:
            return
        left -= len(ids)
        yield from ids
