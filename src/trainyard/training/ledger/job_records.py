"""Reads which nodes a run had, and when: what sacct, AWS Batch and Kubernetes print about its jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from trainyard.errors import InputError
from trainyard.training.ledger.attempt import Attempt

_MOST_NODES = 65_536
_GPU = re.compile(r"gres/gpu(?::[^=,]+)?=([0-9]+)")
_PART = re.compile(r"([^\[\],]*)(?:\[([0-9,-]*)\])?([^\[\],]*)(?:,|$)")
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
        rows = list(_json_rows(data))
        if not rows and not isinstance(data.get("jobs", data.get("items")), list):
            raise InputError("the JSON has neither jobs nor pods", where=where, hint=HINT)
    else:
        rows = list(_table_rows(text, where))
    attempts: list[Attempt] = []
    restarts: dict[str, int] = {}
    for row in rows:
        restart = row.restart if row.restart is not None else restarts.get(row.job, 0)
        restarts[row.job] = restart + 1
        if row.begin_ms is None or not row.nodes:
            continue
        end_ms = now_ms if row.end_ms is None else row.end_ms
        if end_ms < row.begin_ms:
            notes.append(f"job {ascii(row.job)[1:-1]} ends before it begins and is left out")
            continue
        each = row.gpus // len(row.nodes) if row.gpus else gpus_a_node or 0
        gpus = dict.fromkeys(row.nodes, each)
        gpus[row.nodes[0]] += row.gpus - each * len(gpus) if row.gpus else 0
        attempts.append(
            Attempt(
                row.run, row.job, restart, row.submitted_ms, row.begin_ms, end_ms, row.end_ms is None, row.state, gpus
            )
        )
    if attempts and all(attempt.submitted_ms is None for attempt in attempts):
        notes.append("nobody says when jobs were submitted: their time in the queue is unknown")
    return JobRecords(tuple(_pods_together(attempts)), tuple(notes))


class _Row(NamedTuple):
    run: str
    job: str
    restart: int | None
    submitted_ms: int | None
    begin_ms: int | None
    end_ms: int | None
    state: str
    nodes: list[str]
    gpus: int


def _json_rows(data: Any) -> Iterator[_Row]:
    jobs = data.get("jobs")
    for job in jobs if isinstance(jobs, list) else ():
        if isinstance(job, Mapping) and "job_id" in job:
            yield _slurm_row(job)
        elif isinstance(job, Mapping) and "jobId" in job:
            yield from _batch_rows(job)
    items = data.get("items")
    for pod in items if isinstance(items, list) else ():
        if isinstance(pod, Mapping) and pod.get("kind", "Pod") == "Pod":
            yield from _pod_rows(pod)


def _slurm_row(job: Mapping[str, Any]) -> _Row:
    """Return a job of ``sacct --json``, whose numbers and states have other forms in each data version."""
    time = _mapping(job.get("time"))
    state = _mapping(job.get("state")).get("current", job.get("state"))
    words = state if isinstance(state, list) else [state]
    allocated = _mapping(job.get("tres")).get("allocated")
    gpus = sum(_number(part.get("count")) or 0
               for part in (allocated if isinstance(allocated, list) else ())
               if isinstance(part, Mapping) and part.get("type") == "gres" and part.get("name") == "gpu")  # fmt: skip
    begin, end = _number(time.get("start")), _number(time.get("end"))
    return _Row(
        str(job.get("name", "")), str(job["job_id"]), _number(job.get("restart_cnt")),
        _seconds(_number(time.get("eligible")) or _number(time.get("submission"))), _seconds(begin), _seconds(end),
        " ".join(str(word) for word in words if word) or "UNKNOWN", host_names(str(job.get("nodes") or "")), gpus,
    )  # fmt: skip


def _table_rows(text: str, where: str) -> Iterator[_Row]:
    lines = [line for line in text.splitlines() if line.strip()]
    names = lines[0].rstrip("|").split("|") if lines else []
    if "Start" not in names or "End" not in names or not {"JobID", "JobIDRaw"} & set(names):
        raise InputError("the table has no columns JobID, Start and End", where=where, hint=HINT)
    for line in lines[1:]:
        row = dict(zip(names, line.split("|"), strict=False))
        job = row.get("JobIDRaw") or row.get("JobID", "")
        if "." in job:  # a step of a job
            continue
        gpu = _GPU.search(row.get("AllocTRES", ""))
        restarts = row.get("Restarts", "")
        yield _Row(
            row.get("JobName", ""), job, int(restarts) if restarts.isdigit() else None,
            _moment(row.get("Eligible") or row.get("Submit")), _moment(row.get("Start")), _moment(row.get("End")),
            row.get("State") or "UNKNOWN", host_names(row.get("NodeList", "")), int(gpu[1]) if gpu else 0,
        )  # fmt: skip


def _batch_rows(job: Mapping[str, Any]) -> Iterator[_Row]:
    """Yield the attempts of a job of AWS Batch: https://docs.aws.amazon.com/batch/latest/APIReference/API_JobDetail.html.

    A multi-node job has its nodes as jobs of their own, JOB#0 and so on.
    """
    job_id, _, index = str(job["jobId"]).partition("#")
    if not index and _mapping(job.get("nodeProperties")).get("numNodes"):
        return
    wants = _mapping(job.get("container")).get("resourceRequirements")
    gpus = sum(_number(want.get("value")) or 0 for want in (wants if isinstance(wants, list) else ())
               if isinstance(want, Mapping) and want.get("type") == "GPU")  # fmt: skip
    attempts = job.get("attempts")
    known = [part for part in (attempts if isinstance(attempts, list) else ()) if isinstance(part, Mapping)]
    if not known:
        known = [job]
    for at, part in enumerate(known):
        is_last = at == len(known) - 1
        yield _Row(
            str(job.get("jobName", "")), job_id, at,
            _number(job.get("createdAt")) if at == 0 else None, _number(part.get("startedAt")),
            _number(part.get("stoppedAt")),
            str(job.get("status", "UNKNOWN")) if is_last else "FAILED",
            [f"node {index}" if index else "node 0"], gpus,
        )  # fmt: skip


def _pod_rows(pod: Mapping[str, Any]) -> Iterator[_Row]:
    """Yield a pod: each is a start of its own, and those of one run that begin together are one."""
    metadata, spec, status = (_mapping(pod.get(key)) for key in ("metadata", "spec", "status"))
    labels = _mapping(metadata.get("labels"))
    run = next((str(labels[key]) for key in ("training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name",
                                             "batch.kubernetes.io/job-name") if key in labels),
               str(metadata.get("name", "")))  # fmt: skip
    containers = spec.get("containers")
    gpus = sum(_number(_mapping(_mapping(container.get("resources")).get("limits")).get("nvidia.com/gpu")) or 0
               for container in (containers if isinstance(containers, list) else ())
               if isinstance(container, Mapping))  # fmt: skip
    states = status.get("containerStatuses")
    ended = [_mapping(_mapping(_mapping(state).get("state")).get("terminated")).get("finishedAt")
             for state in (states if isinstance(states, list) else ())]  # fmt: skip
    phase = str(status.get("phase", "UNKNOWN"))
    yield _Row(
        run, run, None, _moment(metadata.get("creationTimestamp")), _moment(status.get("startTime")),
        max((time for time in map(_moment, ended) if time is not None), default=None) if all(ended) and ended else None,
        {"Succeeded": "COMPLETED", "Failed": "FAILED"}.get(phase, phase), [str(spec.get("nodeName") or "?")], gpus,
    )  # fmt: skip


def _pods_together(attempts: list[Attempt]) -> Iterator[Attempt]:
    """Yield starts; those of one job that overlap, on other nodes, are one. Slurm's never do."""
    attempts.sort(key=lambda attempt: (attempt.run, attempt.job, attempt.begin_ms))
    group: list[Attempt] = []
    for attempt in attempts:
        if group and group[0].job == attempt.job and attempt.begin_ms < min(part.end_ms for part in group) \
                and not any(set(part.gpus) & set(attempt.gpus) for part in group):  # fmt: skip
            group.append(attempt)
            continue
        if group:
            yield _joined(group)
        group = [attempt]
    if group:
        yield _joined(group)


def _joined(group: list[Attempt]) -> Attempt:
    first = group[0]
    if len(group) == 1:
        return first
    submitted = [part.submitted_ms for part in group if part.submitted_ms is not None]
    state = next((part.state for part in group if part.has_failed), group[-1].state)
    return first._replace(
        submitted_ms=min(submitted, default=None),
        end_ms=max(part.end_ms for part in group),
        is_running=any(part.is_running for part in group),
        state=state,
        gpus={node: count for part in group for node, count in part.gpus.items()},
    )


def host_names(hostlist: str) -> list[str]:
    """Return the names of ``gpu-st-p5-[1-3,7],head``, one by one: https://slurm.schedmd.com/hostlist.html."""
    names: list[str] = []
    for head, ranges, tail in _PART.findall(hostlist):
        if not ranges:
            names += [head + tail] if head + tail and head + tail != "None assigned" else []
            continue
        for piece in ranges.split(","):
            first, _, last = piece.partition("-")
            if not first.isdigit() or (last and not last.isdigit()) or len(first + last) > 18:
                continue
            stop = min(int(last or first), int(first) + _MOST_NODES)
            names += [f"{head}{number:0{len(first)}}{tail}" for number in range(int(first), stop + 1)]
    return list(dict.fromkeys(names))[:_MOST_NODES]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> int | None:
    """Return a number that may be packed as {"set": true, "number": 5}, or be a text."""
    if isinstance(value, Mapping):
        return None if value.get("set") is False or value.get("infinite") is True else _number(value.get("number"))
    if isinstance(value, str) and value.isdigit() and len(value) < 17:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _seconds(value: int | None) -> int | None:
    return value * 1000 if value and value < 2**40 else None


def _moment(text: Any) -> int | None:
    """Return milliseconds of a time of sacct or Kubernetes; one without a zone is taken for UTC."""
    if not isinstance(text, str):
        return None
    if text.isdigit():
        return _seconds(_number(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
