"""Reads jobs as AWS Batch describes them: https://docs.aws.amazon.com/batch/latest/APIReference/API_JobDetail.html."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainyard.training.ledger.allocation import Allocation, items, mapping, number

_MOST_NODES = 1000


def batch_jobs(jobs: Sequence[Mapping[str, Any]]) -> Iterator[Allocation]:
    """Yield the attempts of jobs. A multi-node job has its nodes as jobs of their own, JOB#0 and so on, or says itself.

    Its own attempts are taken only where those of its nodes are not there.
    """
    with_nodes = {str(job["jobId"]).partition("#")[0] for job in jobs if "#" in str(job["jobId"])}
    for job in jobs:
        job_id, _, index = str(job["jobId"]).partition("#")
        properties = mapping(job.get("nodeProperties"))
        count = min(number(properties.get("numNodes")) or 0, _MOST_NODES)
        if index or not count:
            yield from _attempts(job, job_id, [f"node {index or 0}"], _gpus(mapping(job.get("container"))))
        elif job_id not in with_nodes:
            gpus = sum(_gpus(mapping(group.get("container"))) * _targets(str(group.get("targetNodes", "")), count)
                       for group in items(properties.get("nodeRangeProperties")))  # fmt: skip
            yield from _attempts(job, job_id, [f"node {node}" for node in range(count)], gpus)


def _gpus(container: Mapping[str, Any]) -> int:
    return sum(
        number(item.get("value")) or 0
        for item in items(container.get("resourceRequirements"))
        if item.get("type") == "GPU"
    )


def _targets(text: str, count: int) -> int:
    """Return how many of a job's nodes a range has, such as 0:3, 4: or 2."""
    first, colon, last = text.partition(":")
    begin = int(first) if first.isdecimal() else 0
    end = int(last) if last.isdecimal() else count - 1 if colon else begin
    return max(min(end, count - 1) - begin + 1, 0)


def _attempts(job: Mapping[str, Any], job_id: str, nodes: list[str], gpus: int) -> Iterator[Allocation]:
    known = [*items(job.get("attempts"))]
    begins = [number(part.get("startedAt")) for part in known]
    state = str(job.get("status", "UNKNOWN"))
    # The attempts are those that have ended: the job itself has the times of the one that runs.
    if not known or (state == "RUNNING" and number(job.get("startedAt")) not in begins):
        known.append(job)
    for restart, part in enumerate(known):
        created_ms = number(job.get("createdAt")) if restart == 0 else None
        yield Allocation(
            run=str(job.get("jobName", "")),
            job=job_id,
            part=str(job["jobId"]),
            restart=restart,
            submitted_ms=created_ms,
            eligible_ms=created_ms,
            begin_ms=number(part.get("startedAt")),
            end_ms=number(part.get("stoppedAt")),
            state=state if restart == len(known) - 1 else "FAILED",
            nodes=nodes,
            gpus=gpus,
        )
