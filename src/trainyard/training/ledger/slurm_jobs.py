"""Reads jobs as sacct prints them, of Slurm with accounting: https://slurm.schedmd.com/sacct.html."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.errors import InputError
from trainyard.training.ledger.allocation import Allocation, items, mapping, milliseconds, moment_ms, number

_MOST_NODES = 65_536
_GPU = re.compile(r"gres/gpu(?::[^=,]+)?=([0-9]+)")
_PART = re.compile(r"([^\[\],]*)(?:\[([0-9,-]*)\])?([^\[\],]*)(?:,|$)")
# The part of a heterogeneous job, which sacct calls by its leader and an offset, as in 4+1.
_HETEROGENEOUS = re.compile(r"([0-9]+)\+([0-9]+)\Z")


def slurm_job(job: Mapping[str, Any]) -> Allocation:
    """Return a job of ``sacct --json``, whose numbers and states have other forms in each data version."""
    time, leader = mapping(job.get("time")), mapping(job.get("het"))
    state = mapping(job.get("state")).get("current", job.get("state"))
    words = state if isinstance(state, list) else [state]
    gpus = sum(
        number(part.get("count")) or 0
        for part in items(mapping(job.get("tres")).get("allocated"))
        if part.get("type") == "gres" and part.get("name") == "gpu"
    )
    return Allocation(
        run=str(job.get("name", "")),
        job=str(number(leader.get("job_id")) or job["job_id"]),
        part=str(job["job_id"]),
        restart=number(job.get("restart_cnt")),
        submitted_ms=milliseconds(number(time.get("submission"))),
        eligible_ms=milliseconds(number(time.get("eligible"))),
        begin_ms=milliseconds(number(time.get("start"))),
        end_ms=milliseconds(number(time.get("end"))),
        state=" ".join(str(word) for word in words if word) or "UNKNOWN",
        nodes=host_names(str(job.get("nodes") or "")),
        gpus=gpus,
    )


def table_of_jobs(text: str, where: str, hint: str) -> tuple[list[Allocation], list[str]]:
    """Return the jobs of ``sacct -P``, and what could not be read. Raises InputError where it is no such table."""
    lines = [line for line in text.splitlines() if line.strip()]
    names = lines[0].split("|") if lines else []
    if "Start" not in names or "End" not in names or not {"JobID", "JobIDRaw"} & set(names):
        raise InputError("the table has no columns JobID, Start and End", where=where, hint=hint)
    rows = [line.split("|") for line in lines[1:]]
    # A job may have the sign between columns, or a line break, in its name, its command or a comment.
    shifted = sum(len(row) != len(names) for row in rows)
    notes = []
    if shifted:
        lines_left = f"{shifted} line{'s' * (shifted != 1)} of sacct without {len(names)} columns left out"
        notes.append(f"{lines_left}, as where a name has |: `sacct --json` is never ambiguous")
    return list(_table_jobs(dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names))), notes


def _table_jobs(rows: Iterator[dict[str, str]]) -> Iterator[Allocation]:
    for row in rows:
        job = row.get("JobIDRaw") or row.get("JobID", "")
        if "." in job:  # a step of a job
            continue
        gpu = _GPU.search(row.get("AllocTRES", ""))
        restarts = row.get("Restarts", "")
        leader = _HETEROGENEOUS.match(row.get("JobID", ""))
        yield Allocation(
            run=row.get("JobName", ""),
            job=leader[1] if leader else job,
            part=job,
            restart=int(restarts) if restarts.isdecimal() else None,
            submitted_ms=moment_ms(row.get("Submit")),
            eligible_ms=moment_ms(row.get("Eligible")),
            begin_ms=moment_ms(row.get("Start")),
            end_ms=moment_ms(row.get("End")),
            state=row.get("State") or "UNKNOWN",
            nodes=host_names(row.get("NodeList", "")),
            gpus=int(gpu[1]) if gpu else 0,
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
            if not first.isdecimal() or (last and not last.isdecimal()) or len(first + last) > 18:
                continue
            stop = min(int(last or first), int(first) + _MOST_NODES)
            names += [f"{head}{number:0{len(first)}}{tail}" for number in range(int(first), stop + 1)]
    return list(dict.fromkeys(names))[:_MOST_NODES]
