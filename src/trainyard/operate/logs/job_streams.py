"""Which stream is of which job and node: Batch says so of each job that it knows, for a week or more after its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import Job, described_jobs, latest_jobs
from trainyard.errors import TrainyardError

_MOST_JOBS = 100
_MOST_NODES = 1000  # ten calls
_REMEMBERED_MS = 30 * 86_400_000


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
        end.stream: OfJob(id_, names.get(id_, one.name), one.node)
        for one in described
        for id_ in [one.id.partition("#")[0]]
        for end in one.ends
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
