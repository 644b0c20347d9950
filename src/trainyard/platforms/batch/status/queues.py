"""The job queues of a Batch cluster: their state, their jobs, counted to a bound, and those that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial

from trainyard.edge.aws.batch_job_state import QueueJob, QueueJobs, jobs_by_status
from trainyard.edge.aws.batch_queues import JobQueue
from trainyard.foreign_text import quoted
from trainyard.operate.status.failures import Failure, short
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platforms.batch.status.batch_status import QueueStatus, WaitingJob

MISSING = "MISSING"
# Those that end well are counted nowhere: Batch keeps them for a week, and there may be any number.
_STATUSES = ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "FAILED")
_MOST_COUNTED = 500
_MOST_WAITING = 10
_MOST = 5
_LATELY_MS = 86_400_000


def ask_jobs(request: StatusRequest, queue: str) -> Callable[[], dict[str, QueueJobs]]:
    """Begin to ask for the jobs of a queue, and return a function that waits for them, by their status."""
    part = f"jobs of {name_of(queue)}"
    pending = {
        status: request.ask(part, partial(jobs_by_status, request.account, queue, status, _MOST_COUNTED))
        for status in _STATUSES
    }

    def answers() -> dict[str, QueueJobs]:
        jobs_by_status = {status: answer() for status, answer in pending.items()}
        return {status: jobs for status, jobs in jobs_by_status.items() if jobs is not None}

    return answers


def queue_states(
    names: Iterable[str], described: Iterable[JobQueue] | None, jobs: Mapping[str, Mapping[str, QueueJobs]]
) -> tuple[QueueStatus, ...]:
    """Return the queues that a stack has, of which some may be gone; none where nobody may look at them."""
    if described is None:
        return ()
    by_key = {key: job_queue for job_queue in described for key in (job_queue.arn, job_queue.name)}
    return tuple(_queue(name, by_key.get(name), jobs.get(name, {})) for name in names)


def waiting(jobs: Mapping[str, Mapping[str, QueueJobs]]) -> tuple[WaitingJob, ...]:
    """Return jobs that wait for instances, the longest waiting first."""
    waiting_jobs = [
        (name_of(queue), job) for queue, by_status in jobs.items() for job in of_status(by_status, "RUNNABLE")
    ]
    longest = sorted(waiting_jobs, key=lambda item: item[1].created_ms)[:_MOST_WAITING]
    return tuple(
        WaitingJob(job.id, job.name, queue, job.nodes, _time(job.created_ms), " ".join(job.reason.split()))
        for queue, job in longest
    )


def of_status(by_status: Mapping[str, QueueJobs], status: str) -> tuple[QueueJob, ...]:
    """Return the jobs in a status."""
    return by_status[status].jobs if status in by_status else ()


def name_of(arn: str) -> str:
    """Return the name in the ARN of a queue or an environment; a name as it is."""
    return arn.rpartition("/")[2]


def failed_jobs(jobs: Mapping[str, Mapping[str, QueueJobs]], now_s: float) -> tuple[Failure, ...]:
    """Return what became of jobs, the last first; those of a name that say the same as one."""
    since_ms = now_s * 1000 - _LATELY_MS
    failures: dict[tuple[str, str], Failure] = {}
    for queue, by_status in jobs.items():
        failed = [job for job in of_status(by_status, "FAILED") if _ended_ms(job) >= since_ms]
        for job in sorted(failed, key=_ended_ms):
            what = f"job {job.name}: {quoted(job.reason) if job.reason else 'Batch says nothing'}{_exit(job)}"
            before = failures.pop((queue, what), None)
            at = datetime.fromtimestamp(_ended_ms(job) / 1000, UTC).isoformat(timespec="seconds")
            times = before.times + 1 if before else 1
            failures[queue, what] = Failure(at, f"queue {name_of(queue)}", short(f"{what} ({job.id})"), times)
    return tuple(sorted(failures.values(), key=lambda failure: failure.at or "", reverse=True))[:_MOST]


def _queue(name: str, job_queue: JobQueue | None, jobs: Mapping[str, QueueJobs]) -> QueueStatus:
    counts = {status: len(some.jobs) for status, some in jobs.items() if some.jobs}
    more = tuple(status for status, some in jobs.items() if not some.whole)
    if job_queue is None:
        return QueueStatus(name_of(name), MISSING, "", "", (), counts, more)
    environments = tuple(map(name_of, job_queue.environments))
    return QueueStatus(job_queue.name, job_queue.state, job_queue.status, job_queue.reason, environments, counts, more)


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")


def _ended_ms(job: QueueJob) -> int:
    return job.stopped_ms or job.created_ms


def _exit(job: QueueJob) -> str:
    return "" if job.exit_status is None else f", exit status {job.exit_status}"
