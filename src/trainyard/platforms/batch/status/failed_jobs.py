"""The jobs of a Batch cluster that failed in the last day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from trainyard.edge.aws.batch_job_state import Job, Jobs
from trainyard.operate.status.failures import Failure, short
from trainyard.platforms.batch.status.queues import name_of, of_status

_MOST = 5
_LATELY_MS = 86_400_000


def failed_jobs(jobs: Mapping[str, Mapping[str, Jobs]], now_s: float) -> tuple[Failure, ...]:
    """Return what became of jobs, the last first; those of a name that say the same as one."""
    since_ms = now_s * 1000 - _LATELY_MS
    found: dict[tuple[str, str], Failure] = {}
    for queue, by_status in jobs.items():
        failed = [one for one in of_status(by_status, "FAILED") if _ended_ms(one) >= since_ms]
        for job in sorted(failed, key=_ended_ms):
            what = f"job {job.name}: {job.reason or 'Batch says nothing'}{_exit(job)}"
            before = found.pop((queue, what), None)
            at = datetime.fromtimestamp(_ended_ms(job) / 1000, UTC).isoformat(timespec="seconds")
            times = before.times + 1 if before else 1
            found[queue, what] = Failure(at, f"queue {name_of(queue)}", short(f"{what} ({job.id})"), times)
    return tuple(sorted(found.values(), key=lambda one: one.at or "", reverse=True))[:_MOST]


def _ended_ms(job: Job) -> int:
    return job.stopped_ms or job.created_ms


def _exit(job: Job) -> str:
    return "" if job.exit_status is None else f", exit status {job.exit_status}"
