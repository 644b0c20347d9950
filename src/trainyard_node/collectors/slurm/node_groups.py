"""Nodes in the groups that sinfo makes: those of one partition in one state. A thousand idle nodes are one line.

Slurm's own words decide what is idle, drained or down, and which CPUs are neither allocated nor idle.
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard_node.collectors.slurm.hostlist import expand_hostlist
from trainyard_node.collectors.slurm.record import fields_of, records

# What is asked for is also what nodes are grouped by: https://slurm.schedmd.com/sinfo.html#OPT_Format
COMMAND = ("sinfo", "--all", "--noheader", "--exact")
FIELDS = (*("NodeList", "PartitionName", "Available", "StateLong", "CPUsState", "features_act", "Timestamp", "Reason"),)
# https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES: * does not answer, ~ powered down, # powering up,
# ! about to be powered down, % powering down, $ maintenance, @ ^ to be rebooted, - planned, + with a job that completes
SUFFIXES = "*~#!%$@^-+"

# Those of which nodes take jobs, so that what is free on them can be had.
_TAKING_JOBS = ("idle", "mixed", "allocated", "completing", "planned")
# A partition without nodes has a record in some versions.
_NO_NODES = ("\x1f", "(null)\x1f", "n/a\x1f", "N/A\x1f")


class SlurmNodeGroup(NamedTuple):
    """Nodes of a partition that are in the same state."""

    names: tuple[str, ...]
    partition: str
    up: bool
    """Whether the partition takes jobs and runs them."""
    status: str
    """As sinfo writes it, such as idle~."""
    allocated_cpus: int
    idle_cpus: int
    other_cpus: int
    """Those of nodes that are down or drained."""
    total_cpus: int
    features: str
    reason: str
    """Why nodes are down or drained, empty where nobody said anything."""
    since: float | None
    """When that was said, in seconds since 1970."""

    @property
    def state(self) -> str:
        """Return the state without what is added to it."""
        return self.status.rstrip(SUFFIXES)

    @property
    def takes_jobs(self) -> bool:
        """Whether a job could have what is free on them: not where they are drained, down, reserved or maintained."""
        return self.state in _TAKING_JOBS and not self.other_cpus


def read_node_groups(output: bytes, end: str) -> tuple[list[SlurmNodeGroup], int]:
    """Return what sinfo printed, and how many records make no sense. Raises NodeError where the output is cut."""
    all_groups = [_group(record) for record in records(output, end, "sinfo") if not record.startswith(_NO_NODES)]
    groups = [node_group for node_group in all_groups if node_group is not None]
    return groups, len(all_groups) - len(groups)


def _group(record: str) -> SlurmNodeGroup | None:
    fields = fields_of(record, len(FIELDS))
    if fields is None:
        return None
    nodes, partition, available, status, cpus, features, since, reason = fields
    try:
        allocated, idle, other, total = map(int, cpus.split("/"))
    except ValueError:
        return None
    return SlurmNodeGroup(
        tuple(expand_hostlist(nodes)), partition, available == "up", status, allocated, idle, other, total,
        "" if features == "(null)" else features,
        "" if reason in ("none", "(null)") else reason,
        seconds_since_1970(since),
    )  # fmt: skip


def seconds_since_1970(text: str) -> float | None:
    """Return a time as SLURM_TIME_FORMAT=%s has it, None where Slurm knows of none."""
    return float(text) if text.isascii() and text.isdigit() else None
