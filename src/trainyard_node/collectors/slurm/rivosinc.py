"""Slurm's figures under the names of https://github.com/rivosinc/prometheus-slurm-exporter, for dashboards made for it.

They come besides the others, as alerts and our own dashboards need what has no name there: the state of a node, why it
is drained, and GPUs. What that one asks sdiag for is in scheduler.py; its figures of single jobs are not among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from trainyard_node.collectors.slurm import community
from trainyard_node.collectors.slurm.jobs import JobGroup
from trainyard_node.collectors.slurm.nodes import Node
from trainyard_node.collectors.slurm.slurm_reading import SlurmReading
from trainyard_node.samples import Samples

_MIB = 1 << 20


def samples(reading: SlurmReading) -> Samples:
    """Return one reading."""
    samples = Samples("slurm", "slurm_rivosinc")
    community.add(samples, reading)
    idle = {name: group.other_cpus == 0 for group in reading.groups for name in group.names}
    _add_totals(samples, reading, idle)
    _add_partitions(samples, reading, idle)
    _add_jobs(samples, reading)
    return samples


def _add_totals(samples: Samples, reading: SlurmReading, idle: Mapping[str, bool]) -> None:
    status = {name: group.status for group in reading.groups for name in group.names}
    nodes: Counter[str] = Counter()
    cpus: Counter[str] = Counter()
    for node in reading.nodes.values():
        state = status.get(node.name, node.flags[0].lower())
        nodes[state] += 1
        cpus[state] += node.cpus
    for state, count in nodes.items():
        samples.add("slurm_node_count_per_state", count, state)
        samples.add("slurm_cpus_per_state", cpus[state], state)
    whole = _figures(list(reading.nodes.values()), idle)
    samples.add("slurm_cpus_total", whole["total_cpus"])
    samples.add("slurm_cpus_idle", whole["idle_cpus"])
    samples.add("slurm_cpu_load", whole["cpu_load"])
    for kind in ("real", "free", "alloc"):
        samples.add(f"slurm_mem_{kind}", whole[f"{kind}_mem"])


def _add_partitions(samples: Samples, reading: SlurmReading, idle: Mapping[str, bool]) -> None:
    members: dict[str, list[Node]] = {}
    for group in reading.groups:
        group_nodes = [reading.nodes[name] for name in group.names if name in reading.nodes]
        members.setdefault(group.partition, []).extend(group_nodes)
    for partition, nodes in members.items():
        for name, value in _figures(nodes, idle).items():
            samples.add(f"slurm_partition_{name}", value, partition)


def _figures(nodes: list[Node], idle: Mapping[str, bool]) -> dict[str, float]:
    return {
        "total_cpus": sum(node.cpus for node in nodes),
        "alloc_cpus": sum(node.allocated_cpus for node in nodes),
        "idle_cpus": sum(max(node.cpus - node.allocated_cpus, 0) for node in nodes if idle.get(node.name)),
        "real_mem": sum(node.memory_mib for node in nodes) * _MIB,
        "free_mem": sum(node.free_memory_mib or 0 for node in nodes) * _MIB,
        "alloc_mem": sum(node.allocated_memory_mib for node in nodes) * _MIB,
        "weight": sum(node.weight for node in nodes),
        "cpu_load": sum(node.load or 0.0 for node in nodes),
    }


def _add_jobs(samples: Samples, reading: SlurmReading) -> None:
    by: tuple[tuple[str, Callable[[JobGroup], tuple[str, ...]]], ...] = (
        ("slurm_partition_job_state_total", lambda jobs: jobs.partitions),
        ("slurm_user_state_total", lambda jobs: (jobs.user,)),
        ("slurm_account_job_state_total", lambda jobs: (jobs.account,)),
    )
    for name, owners in by:
        counts: Counter[tuple[str, str]] = Counter()
        for jobs in reading.jobs:
            counts.update({(owner, jobs.state): jobs.number for owner in owners(jobs)})
        for labels, count in counts.items():
            samples.add(name, count, *labels)
    for word in ("user", "account"):
        cpus: Counter[str] = Counter()
        memory: Counter[str] = Counter()
        for jobs in reading.jobs:
            if jobs.state == "RUNNING":
                owner = jobs.user if word == "user" else jobs.account
                cpus[owner] += jobs.number * jobs.cpus
                memory[owner] += int(jobs.number * jobs.memory_mib * _MIB)
        for owner, count in cpus.items():
            samples.add(f"slurm_{word}_cpu_alloc", count, owner)
            samples.add(f"slurm_{word}_mem_alloc", memory[owner], owner)
