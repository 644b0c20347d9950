"""Nodes in the groups that sinfo makes: those of one partition in one state. A thousand idle nodes are one line.

Slurm's own words decide what is idle, drained or down, and which CPUs are neither allocated nor idle.
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard_node.collectors.slurm.hostlist import expanded
from trainyard_node.collectors.slurm.record import FIELD, output_format, records

# What is asked for is also what nodes are grouped by: https://slurm.schedmd.com/sinfo.html#OPT_Format
COMMAND = (
    *("sinfo", "--all", "--noheader", "--exact"),
    "--Format="
    + output_format(
        "NodeList", "PartitionName", "Available", "StateLong", "CPUsState", "features_act", "Timestamp", "Reason"
    ),
)
_FIELDS = 8
# https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES: * does not answer, ~ powered down, # powering up,
# ! about to be powered down, % powering down, $ maintenance, @ ^ to be rebooted, - planned, + with a job that completes
SUFFIXES = "*~#!%$@^-+"


class NodeGroup(NamedTuple):
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


def read_node_groups(output: bytes) -> tuple[list[NodeGroup], int]:
    """Return what sinfo printed, and how many records make no sense. Raises NodeError where the output is cut."""
    found = [_group(record) for record in records(output, "sinfo")]
    groups = [one for one in found if one is not None]
    return groups, len(found) - len(groups)


def _group(record: str) -> NodeGroup | None:
    fields = record.split(FIELD)
    if len(fields) != _FIELDS:
        return None
    nodes, partition, available, status, cpus, features, since, reason = fields
    try:
        allocated, idle, other, total = map(int, cpus.split("/"))
    except ValueError:
        return None
    return NodeGroup(
        tuple(expanded(nodes)), partition, available == "up", status, allocated, idle, other, total,
        "" if features == "(null)" else features,
        "" if reason in ("none", "(null)") else reason,
        seconds_since_1970(since),
    )  # fmt: skip


def seconds_since_1970(text: str) -> float | None:
    """Return a time as SLURM_TIME_FORMAT=%s has it, None where Slurm knows of none."""
    return float(text) if text.isascii() and text.isdigit() else None
