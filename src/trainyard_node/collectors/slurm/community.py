"""Slurm's figures under the names of prometheus-slurm-exporter and its successor, which most dashboards query.

https://github.com/vpenso/prometheus-slurm-exporter and https://github.com/SckyzO/slurm_exporter

A powered-down node is idle under these names, as Slurm starts it for a job; slurm_nodes_powered_down counts it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trainyard_node.collectors.slurm.gres import gpu_count, gres_counts
from trainyard_node.collectors.slurm.hostlist import expand_hostlist
from trainyard_node.collectors.slurm.node_groups import SlurmNodeGroup
from trainyard_node.collectors.slurm.nodes import Node
from trainyard_node.collectors.slurm.slurm_reading import SlurmReading
from trainyard_node.errors import NodeError
from trainyard_node.samples import Samples

# What sinfo writes, and how the names have it: https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES
_STATES = {
    "allocated": "alloc", "completing": "comp", "down": "down", "drained": "drain", "draining": "drain", "error": "err",
    "fail": "fail", "failing": "fail", "idle": "idle", "inval": "inval", "maint": "maint", "mixed": "mix",
    "planned": "planned", "reserved": "resv",
}  # fmt: skip
_ALL_STATES = (*dict.fromkeys(_STATES.values()), "other")
_FLAGS = ("POWERED_DOWN", "POWERING_UP", "POWERING_DOWN", "NOT_RESPONDING")
# https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_JOB_STATES = {
    name: name.lower()
    for name in (
        *("BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING", "CONFIGURING", "DEADLINE", "FAILED", "NODE_FAIL"),
        *("OUT_OF_MEMORY", "PENDING", "PREEMPTED", "RUNNING", "SUSPENDED", "TIMEOUT"),
    )
}
# Where Slurm does not check accounts, everybody may invent some: those with the fewest jobs are counted together.
MOST_OWNERS = 2000
_OTHERS = "(others)"
# Jobs that have nodes for themselves are one on each, so these are so many nodes; of small jobs the rest is counted.
MOST_JOB_NODES = 4096


def samples(reading: SlurmReading) -> Samples:
    """Return one reading."""
    samples = Samples("slurm")
    add(samples, reading)
    return samples


def add(samples: Samples, reading: SlurmReading) -> None:
    """Add one reading to what has other names besides."""
    _count_nodes(samples, reading)
    _add_totals(samples, reading)
    _add_each_node(samples, reading)
    _add_partitions(samples, reading)
    _add_jobs(samples, reading)
    for word in ("account", "user"):
        _add_owners(samples, reading, word)
    _add_running_jobs(samples, reading)
    for command, count in reading.malformed.items():
        samples.add("trainyard_slurm_malformed_records", count, command)


def _count_nodes(samples: Samples, reading: SlurmReading) -> None:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for group in reading.groups:
        here = counts.setdefault((group.partition, group.features), Counter())
        here[_STATES.get(group.state, "other")] += len(group.names)
        for name in group.names:
            here.update(flag for flag in _flags(reading.nodes.get(name)) if flag in _FLAGS)
    for (partition, features), here in counts.items():
        for state in (*_ALL_STATES, *_FLAGS):
            samples.add(f"slurm_nodes_{state.lower()}", here[state], partition, features)
    samples.add("slurm_nodes_total", len(reading.nodes))


def _flags(node: Node | None) -> Iterable[str]:
    return () if node is None else node.flags


def _add_totals(samples: Samples, reading: SlurmReading) -> None:
    """Add what counts each node once, in however many partitions it is."""
    group_of = {name: group for group in reading.groups for name in group.names}
    cpus: Counter[str] = Counter()
    gpus: Counter[str] = Counter()
    for node in reading.nodes.values():
        group = group_of.get(node.name)
        # Slurm says which CPUs are idle. It says nothing of the kind about GPUs.
        _count(cpus, node.cpus, node.allocated_cpus, free=group is not None and not group.other_cpus)
        _count(gpus, *_gpus(node), free=group is not None and group.takes_jobs)
    for kind in ("alloc", "idle", "other", "total"):
        samples.add(f"slurm_cpus_{kind}", cpus[kind])
        samples.add(f"slurm_gpus_{kind}", gpus[kind])
    if gpus["total"]:
        samples.add("slurm_gpus_utilization", gpus["alloc"] / gpus["total"])


def _count(counts: Counter[str], total: int, used: int, *, free: bool) -> None:
    counts["alloc"] += used
    counts["idle" if free else "other"] += max(total - used, 0)
    counts["total"] += total


def _gpus(node: Node) -> tuple[int, int]:
    return gpu_count(node.gres), gpu_count(node.used_gres)


def _add_each_node(samples: Samples, reading: SlurmReading) -> None:
    for group in reading.groups:
        for name in group.names:
            if group.reason:
                samples.add("slurm_node_drain_reason_info", 1, name, group.reason)
                if group.since is not None:
                    samples.add("slurm_node_drain_since_timestamp_seconds", group.since, name)
            node = reading.nodes.get(name)
            if node is not None:
                _add_node(samples, node, group)


def _add_node(samples: Samples, node: Node, group: SlurmNodeGroup) -> None:
    # What changes with a node's state would be a new series each time, so only one metric has it as a label.
    samples.add("slurm_node_status", 1, node.name, group.status, group.partition)
    labels = (node.name, group.partition)
    unused = max(node.cpus - node.allocated_cpus, 0)
    figures = {
        "slurm_node_cpu_alloc": node.allocated_cpus,
        "slurm_node_cpu_idle": 0 if group.other_cpus else unused,
        "slurm_node_cpu_other": unused if group.other_cpus else 0,
        "slurm_node_cpu_total": node.cpus,
        "slurm_node_mem_alloc": node.allocated_memory_mib,
        "slurm_node_mem_total": node.memory_mib,
    }
    samples.add_all(figures, *labels)
    if node.host not in ("", node.name):
        samples.add("slurm_node_host_info", 1, node.name, node.host)
    used = dict(gres_counts(node.used_gres))
    for kind, count in gres_counts(node.gres):
        samples.add("slurm_node_gres_total", count, *labels, kind)
        samples.add("slurm_node_gres_used", used.get(kind, 0), *labels, kind)


def _add_partitions(samples: Samples, reading: SlurmReading) -> None:
    figures: dict[str, Counter[str]] = {}
    for group in reading.groups:
        here = figures.setdefault(group.partition, Counter())
        samples.add("slurm_partition_up", int(group.up), group.partition)
        here["cpus_allocated"] += group.allocated_cpus
        here["cpus_idle"] += group.idle_cpus
        here["cpus_other"] += group.other_cpus
        here["cpus_total"] += group.total_cpus
        for name in group.names:
            total, used = _gpus(reading.nodes[name]) if name in reading.nodes else (0, 0)
            here["gpus_allocated"] += used
            here["gpus_idle"] += max(total - used, 0) if group.takes_jobs else 0
    for jobs in reading.jobs:
        if jobs.state in ("PENDING", "RUNNING"):
            for partition in jobs.partitions:
                figures.setdefault(partition, Counter())[f"jobs_{jobs.state.lower()}"] += jobs.number
    names = ("cpus_allocated", "cpus_idle", "cpus_other", "cpus_total", "gpus_allocated", "gpus_idle")
    for partition, here in figures.items():
        for name in (*names, "jobs_pending", "jobs_running"):
            samples.add(f"slurm_partition_{name}", here[name], partition)


def _add_jobs(samples: Samples, reading: SlurmReading) -> None:
    all_of: Counter[str] = Counter()
    cores: Counter[str] = Counter()
    queue: Counter[tuple[str, ...]] = Counter()
    queue_cores: Counter[tuple[str, ...]] = Counter()
    dependent: Counter[tuple[str, str]] = Counter()
    for jobs in reading.jobs:
        state = _JOB_STATES.get(jobs.state, "other")
        all_of[state] += jobs.number
        cores[state] += jobs.number * jobs.cpus
        for partition in jobs.partitions:
            key = (state, jobs.user, partition, *([jobs.reason] if state == "pending" else []))
            queue[key] += jobs.number
            queue_cores[key] += jobs.number * jobs.cpus
            if state == "pending" and jobs.reason == "Dependency":
                dependent[jobs.user, partition] += jobs.number
    for state in (*_JOB_STATES.values(), "other"):
        samples.add(f"slurm_jobs_{state}", all_of[state])
    for state in ("pending", "running"):
        samples.add(f"slurm_jobs_cores_{state}", cores[state])
    for key, count in queue.items():
        state, labels = key[0], key[1:]
        samples.add(f"slurm_queue_{state}", count, *labels)
        samples.add(f"slurm_cores_{state}", queue_cores[key], *labels)
    for owner, count in dependent.items():
        samples.add("slurm_queue_pending_dependency", count, *owner)


def _add_owners(samples: Samples, reading: SlurmReading, word: str) -> None:
    figures: dict[str, Counter[str]] = {}
    for jobs in reading.jobs:
        if jobs.state not in ("PENDING", "RUNNING", "SUSPENDED"):
            continue
        here = figures.setdefault(jobs.account if word == "account" else jobs.user, Counter())
        here[f"jobs_{jobs.state.lower()}"] += jobs.number
        if jobs.state == "RUNNING":
            here["cpus_running"] += jobs.number * jobs.cpus
            here["gpus_running"] += jobs.number * jobs.gpus
    for owner, here in _bounded(figures).items():
        for name in ("jobs_pending", "jobs_running", "jobs_suspended", "cpus_running", "gpus_running"):
            samples.add(f"slurm_{word}_{name}", here[name], owner)


def _bounded(figures: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    if len(figures) <= MOST_OWNERS:
        return figures
    ordered = sorted(figures, key=lambda owner: -sum(figures[owner].values()))
    largest = {owner: figures[owner] for owner in ordered[:MOST_OWNERS]}
    largest[_OTHERS] = sum((figures[owner] for owner in ordered[MOST_OWNERS:]), Counter())
    return largest


def _add_running_jobs(samples: Samples, reading: SlurmReading) -> None:
    """Add which job is on which node, the largest jobs first, for queries to join with what nodes export."""
    left = MOST_JOB_NODES
    unnamed = 0
    for job in sorted(reading.running, key=lambda job: (job.group.gpus, job.group.nodes), reverse=True):
        if job.group.nodes > left:
            unnamed += 1
            continue
        try:
            names = expand_hostlist(job.hostlist)[:left]
        except NodeError:
            unnamed += 1
            continue
        left -= len(names)
        owner = (job.group.user, job.group.account, job.group.partitions[0])
        for name in names:
            samples.add("slurm_job_node_info", 1, job.id, job.name, *owner, name)
        if job.end is not None:
            samples.add("slurm_job_end_timestamp_seconds", job.end, job.id, job.name, *owner)
    samples.add("trainyard_slurm_unnamed_jobs", unnamed)
