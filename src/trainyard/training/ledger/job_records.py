"""Reads which nodes a run had, and when: what sacct, AWS Batch and Kubernetes print about its jobs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.errors import InputError
from trainyard.training.ledger.allocation import Allocation, JobSetStart, items
from trainyard.training.ledger.attempt import Attempt
from trainyard.training.ledger.batch_jobs import batch_jobs
from trainyard.training.ledger.pods import pod_allocation
from trainyard.training.ledger.slurm_jobs import slurm_job, table_of_jobs

HINT = (
    "give what `sacct -D --json`, `sacct -D -P -o ALL`, `kubectl get pods -o json` or `aws batch describe-jobs` print"
)


class JobRecords(NamedTuple):
    """Starts of runs, and what of the records could not be read."""

    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...]


def job_records(text: str, where: str, now_ms: int, gpus_a_node: int | None = None) -> JobRecords:
    """Return the starts that a text tells of. ``gpus_a_node`` is taken where it does not say how many there were.

    Raises InputError where it is none of what is known.
    """
    notes: list[str] = []
    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError("the JSON cannot be read", where=where, hint=HINT) from None
        rows = list(_of_json(data))
        if not rows and not isinstance(data.get("jobs", data.get("items")), list):
            raise InputError("the JSON has neither jobs nor pods", where=where, hint=HINT)
    else:
        rows, notes = table_of_jobs(text, where, HINT)
    attempts: list[tuple[Allocation, Attempt]] = []
    restarts: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.job, row.part)
        restart = row.restart if row.restart is not None else restarts.get(key, 0)
        restarts[key] = restart + 1
        if row.begin_ms is None or not row.nodes:
            continue
        if row.end_ms is not None and row.end_ms < row.begin_ms:
            notes.append(f"job {ascii(row.job)[1:-1]} ends before it begins and is left out")
            continue
        attempts.append((row, _attempt(row, restart, now_ms, gpus_a_node)))
    if attempts and all(attempt.submitted_ms is None for _, attempt in attempts):
        notes.append("nobody says when jobs were submitted: their time in the queue is unknown")
    return JobRecords(tuple(_together(attempts)), tuple(notes))


def _of_json(data: Mapping[str, Any]) -> Iterator[Allocation]:
    jobs = items(data.get("jobs"))
    yield from (slurm_job(job) for job in jobs if "job_id" in job)
    yield from batch_jobs([job for job in jobs if "jobId" in job])
    pods = [data] if data.get("kind") == "Pod" else items(data.get("items"))
    yield from (pod_allocation(pod) for pod in pods if pod.get("kind", "Pod") == "Pod")


def _attempt(row: Allocation, restart: int, now_ms: int, gpus_a_node: int | None) -> Attempt:
    each = row.gpus // len(row.nodes) if row.gpus else gpus_a_node or 0
    gpus = dict.fromkeys(row.nodes, each)
    gpus[row.nodes[0]] += row.gpus - each * len(gpus) if row.gpus else 0
    # A first start waits from when it may begin; a restart from when it was put into the queue, held back or not.
    first, second = (row.submitted_ms, row.eligible_ms) if restart else (row.eligible_ms, row.submitted_ms)
    begin_ms = row.begin_ms or 0
    end_ms = max(now_ms, begin_ms) if row.end_ms is None else row.end_ms
    return Attempt(
        row.run, row.job, restart, second if first is None else first, begin_ms, end_ms, row.end_ms is None,
        row.state, gpus,
    )  # fmt: skip


def _together(rows: Iterable[tuple[Allocation, Attempt]]) -> Iterator[Attempt]:
    """Yield starts, those of one job after another.

    Which start of a JobSet a pod is of, it says: pods of two submissions are there at once while the first ones end,
    and those of one start need not be.
    """
    jobs: dict[tuple[str, str, JobSetStart | None], list[tuple[str, Attempt]]] = {}
    for row, attempt in rows:
        jobs.setdefault((row.run, row.job, row.start), []).append((row.part, attempt))
    for parts in jobs.values():
        parts.sort(key=lambda part: part[1].begin_ms)
    for (_, _, start), parts in sorted(jobs.items(), key=lambda item: (*item[0][:2], item[1][0][1].begin_ms)):
        yield from _starts(parts, start)


def _starts(parts: Sequence[tuple[str, Attempt]], known: JobSetStart | None) -> Iterator[Attempt]:
    """Yield starts of a job; those that overlap are one: its pods, its nodes on AWS Batch, its heterogeneous parts.

    Where one begins after another has ended, as a pod that takes the place of one that failed, all start anew. With
    ``known`` all are of that start, and only a pod that takes the place of another begins another one.
    """
    group: list[tuple[str, Attempt]] = []
    restart = parts[0][1].restart
    for place, attempt in parts:
        at_ms = attempt.begin_ms
        is_anew = place in (other for other, _ in group) if known else any(part.end_ms <= at_ms for _, part in group)
        if is_anew:
            yield _joined([_cut(part, at_ms) for _, part in group])._replace(restart=restart)
            restart = restart if known else max(attempt.restart, restart + 1)
            group = [
                (other, part._replace(submitted_ms=None, begin_ms=at_ms))
                for other, part in group
                if part.end_ms > at_ms and not (known and other == place)
            ]
        group.append((place, attempt))
    yield _joined([part for _, part in group])._replace(restart=restart)


def _cut(part: Attempt, at_ms: int) -> Attempt:
    return part if part.end_ms <= at_ms else part._replace(end_ms=at_ms, is_running=False, state="REQUEUED")


def _joined(group: list[Attempt]) -> Attempt:
    first = group[0]
    if len(group) == 1:
        return first
    gpus: dict[str, int] = {}
    for part in group:
        for node, count in part.gpus.items():
            gpus[node] = gpus.get(node, 0) + count
    submitted = [part.submitted_ms for part in group if part.submitted_ms is not None]
    state = next((part.state for part in group if part.has_failed), group[-1].state)
    return first._replace(
        submitted_ms=min(submitted, default=None),
        end_ms=max(part.end_ms for part in group),
        is_running=any(part.is_running for part in group),
        state=state,
        gpus=gpus,
    )
