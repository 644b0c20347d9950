"""The names of log streams of AWS Batch: PREFIX/CONTAINER/TASK, such as nccl/default/0a1b2c3d4e5f40718293a4b5c6d7e8f9.

The prefix is that of the job definition's awslogs-stream-prefix, otherwise the name of the definition.
https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import Job, described_jobs, latest_jobs
from trainyard.errors import TrainyardError

_FORM = re.compile(r"(?P<kind>[^/]+)/(?P<container>[^/]+)/(?P<task>[0-9a-f]{32}|[0-9a-f-]{36})")
_MOST_JOBS = 100
_MOST_NODES = 1000  # ten calls
_REMEMBERED_MS = 30 * 86_400_000


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


def _ids(jobs: Iterable[Job]) -> Iterator[str]:
    """Yield the ids of nodes, and of jobs in one container, up to a bound: those of a job together or not at all."""
    left = _MOST_NODES
    for job in jobs:
        ids = [job.id] if job.nodes is None else [f"{job.id}#{node}" for node in range(job.nodes)]
        if len(ids) > left:
            return
        left -= len(ids)
        yield from ids
