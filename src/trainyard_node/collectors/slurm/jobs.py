"""The jobs in the queue. Most are alike, as the tasks of an array are, so they are counted before they are read."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from trainyard_node.collectors.slurm.gres import gpu_count
from trainyard_node.collectors.slurm.record import FIELD, fields_of, output_format, records

# --array: each task is a job. All states: what ended is seen until MinJobAge is over.
# Of each job only what is counted and what names it is asked for: neither its command nor its comment leaves Slurm.
COMMAND = ("squeue", "--all", "--array", "--noheader", "--states=all")
FIELDS = (
    *("State", "Partition", "UserName", "NumCPUs", "NumNodes", "NumTasks"),
    *("tres-alloc", "tres-per-job", "tres-per-node", "tres-per-task", "Reason", "Account"),
)
# What tells jobs apart, behind all by which they are alike. Users write the name, of which so many bytes are asked for.
ID_FIELDS = ("JobArrayID", "TimeUsed", "EndTime", "NodeList", "Name:64")
_IN_ITS_FIRST_MINUTE = re.compile(r"0:[0-9][0-9]")
# As 1:00:00, or 1-00:00:00: https://slurm.schedmd.com/squeue.html#OPT_TimeUsed
_FOR_AN_HOUR = re.compile(r"([0-9]+-)?[0-9]+:[0-9][0-9]:[0-9][0-9]")


# Slurm adds the list of them, which is another one with every node that comes or goes.
_WHICH_NODES = ", UnavailableNodes:"


class JobGroup(NamedTuple):
    """Jobs that are alike in everything that is counted."""

    number: int
    state: str
    """Such as PENDING."""
    partitions: tuple[str, ...]
    """A pending job may wait for one of several."""
    user: str
    account: str
    cpus: int
    """Of each job: allocated, or asked for."""
    nodes: int
    gpus: int
    """Of each job: allocated, or asked for."""
    memory_mib: float
    """Of each job, allocated; 0 where Slurm does not account for memory."""
    reason: str
    """Why it waits."""


class RunningJob(NamedTuple):
    """A job that runs, and has run for a minute: tasks that end at once would each be new series."""

    id: str
    """As squeue has it: of a task of an array 12_3."""
    name: str
    hostlist: str
    """Its nodes, as Slurm abbreviates them."""
    group: JobGroup
    end: int | None
    """When its time limit ends it, in seconds since 1970; None in its first hour, or where it has no limit."""


class Queue(NamedTuple):
    """What squeue printed."""

    groups: list[JobGroup]
    running: list[RunningJob]
    malformed: int
    """How many records make no sense."""


def job_format(end: str) -> str:
    """Return what --Format takes: an account may hold whatever parts fields, so it ends as a record does."""
    return f"{output_format(f'{end}{FIELD}', *FIELDS)},{output_format(end, *ID_FIELDS)}"


def read_jobs(output: bytes, end: str) -> Queue:
    """Return what squeue printed. Raises NodeError where the output is cut."""
    counts: Counter[str] = Counter()
    running: list[tuple[str, str]] = []
    for record in records(output, end, "squeue"):
        alike, _, identity = record.partition(f"{end}{FIELD}")
        counts[alike] += 1
        if alike.startswith(f"RUNNING{FIELD}"):
            running.append((alike, identity))
    groups = {alike: _jobs(alike, count) for alike, count in counts.items()}
    named = [job for alike, identity in running if (group := groups[alike]) and (job := _running_job(identity, group))]
    malformed = sum(count for alike, count in counts.items() if groups[alike] is None)
    return Queue([group for group in groups.values() if group is not None], named, malformed)


def _running_job(identity: str, group: JobGroup) -> RunningJob | None:
    fields = fields_of(identity, len(ID_FIELDS))
    if fields is None:
        return None
    job_id, time_used, end, hostlist, name = fields
    if _IN_ITS_FIRST_MINUTE.fullmatch(time_used):
        return None
    has_end = _FOR_AN_HOUR.fullmatch(time_used) and end.isascii() and end.isdigit()
    return RunningJob(job_id, name.rstrip(" "), hostlist, group, int(end) if has_end else None)


def _jobs(record: str, count: int) -> JobGroup | None:
    fields = fields_of(record, len(FIELDS))
    if fields is None:
        return None
    state, partition, user, cpus, nodes, tasks, *tres, reason, account = fields
    try:
        gpus = _gpus(tres, _first(nodes), _first(tasks))
        return JobGroup(
            count, state, tuple(partition.split(",")), user, account, _first(cpus), _first(nodes), gpus,
            _memory_mib(tres[0]), reason.split(_WHICH_NODES, 1)[0],
        )  # fmt: skip
    except ValueError:
        return None


def _first(number: str) -> int:
    """Return a count, the lower one of a range: a pending job may ask for 2-4 nodes, or 1K tasks."""
    lower = number.split("-", 1)[0]
    return int(float(lower[:-1]) * 1024) if lower.endswith("K") else int(lower or 0)


def _gpus(tres: list[str], nodes: int, tasks: int) -> int:
    """Return a job's GPUs: what it has, where Slurm accounts for GPUs; else what it asked for.

    https://slurm.schedmd.com/slurm.conf.html#OPT_AccountingStorageTRES
    """
    allocated, per_job, per_node, per_task = tres
    return (
        gpu_count(allocated) or gpu_count(per_job) or gpu_count(per_node) * max(nodes, 1) or gpu_count(per_task) * tasks
    )


def _memory_mib(allocated: str) -> float:
    for piece in allocated.split(","):
        if piece.startswith("mem="):
            return memory_mib(piece[4:])
    return 0.0


def memory_mib(text: str) -> float:
    """Return an amount of memory as Slurm writes it: 500M, 1.5T, or MiB without a unit."""
    unit = text[-1:]
    if unit in _MIB:
        return float(text[:-1]) * _MIB[unit]
    return float(text)


_MIB = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3}
