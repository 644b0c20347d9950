"""What AWS itself says of a Batch cluster, line by line: statuses with their reasons, and launches that failed."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from trainyard.edge.aws.batch_instances import failed_launches
from trainyard.edge.aws.batch_job_state import JobDetail
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts


def environment_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each compute environment."""
    for environment in facts.environments:
        yield _line(
            computeEnvironmentName=environment.name, state=environment.state,
            status=environment.status, statusReason=environment.reason,
            minvCpus=environment.min_vcpus, desiredvCpus=environment.desired_vcpus, maxvCpus=environment.max_vcpus,
        )  # fmt: skip


def queue_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each job queue."""
    for queue in facts.queues:
        yield _line(jobQueueName=queue.name, state=queue.state, status=queue.status, statusReason=queue.reason)


def job_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield lines of jobs that wait, as they are now, and of those that failed and their attempts."""
    for job in facts.waiting:
        yield _line(jobId=job.id, jobName=job.name, status=job.status, statusReason=job.reason)
    for job in facts.failed:
        yield from _ended(job)


def _ended(job: JobDetail) -> Iterator[str]:
    names = {"jobId": job.id, "jobName": job.name}
    for attempt in job.ends:
        if attempt.exit_status not in (0, None) or attempt.reason or attempt.task_reason:
            yield _timed(
                attempt.stopped_ms or job.stopped_ms, **names, exitCode=attempt.exit_status, reason=attempt.reason,
                statusReason=attempt.task_reason,
            )  # fmt: skip
    yield _timed(job.stopped_ms, **names, status=job.status, statusReason=job.reason)


def launch_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each attempt to start instances that failed."""
    for environment in facts.environments:
        for failed_launch in facts.ask("launches of Auto Scaling that failed", failed_launches, environment) or ():
            yield f"{_time(failed_launch.at)} {failed_launch.group} of {environment.name}: {failed_launch.why}"


def _timed(at_ms: int | None, **fields: Any) -> str:
    line = _line(**fields)
    return line if at_ms is None else f"{_time(dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC))} {line}"


def _time(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _line(**fields: Any) -> str:
    """Return a line in the words of the API, without what is empty."""
    values = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in fields.items()}
    return json.dumps({key: value for key, value in values.items() if value not in ("", None)}, ensure_ascii=False)
