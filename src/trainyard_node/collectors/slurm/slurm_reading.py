"""One reading of Slurm: three commands, however many nodes and jobs there are and however often somebody asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from trainyard_node.collectors.slurm import jobs, node_groups, nodes
from trainyard_node.collectors.slurm.jobs import JobGroup, RunningJob
from trainyard_node.collectors.slurm.node_groups import SlurmNodeGroup
from trainyard_node.collectors.slurm.nodes import Node
from trainyard_node.collectors.slurm.record import new_end, output_format
from trainyard_node.errors import NodeError
from trainyard_node.programs import Programs

COMMAND_S = 15.0
# 100,000 jobs are 9 MB. Python needs up to five times as much to read them.
MOST_BYTES = 32 << 20
# Times as seconds since 1970: https://slurm.schedmd.com/sinfo.html#OPT_SLURM_TIME_FORMAT
VARIABLES = {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C.UTF-8"}


class SlurmReading(NamedTuple):
    """What Slurm said."""

    jobs: Sequence[JobGroup]
    running: Sequence[RunningJob]
    groups: Sequence[SlurmNodeGroup]
    nodes: Mapping[str, Node]
    malformed: Mapping[str, int]
    """How many records of each command made no sense."""


def read_slurm(programs: Programs) -> SlurmReading:
    """Ask Slurm, all at once, so that what it says is of one moment.

    Raises NodeError where a command fails, hangs, or prints what nobody asked for.
    """
    end = new_end()
    commands = commands_with(end)
    with ThreadPoolExecutor(len(commands)) as pool:
        of_sinfo, of_scontrol, of_squeue = pool.map(lambda command: _output(programs, command), commands)
    groups, bad_groups = node_groups.read_node_groups(of_sinfo, end)
    node_table, bad_nodes = nodes.read_nodes(of_scontrol)
    queue = jobs.read_jobs(of_squeue, end)
    malformed = {"sinfo": bad_groups, "scontrol": bad_nodes, "squeue": queue.malformed}
    for command, parsed in {"sinfo": groups, "scontrol": node_table, "squeue": queue.groups}.items():
        if malformed[command] and not parsed:
            raise NodeError(f"nothing that {command} printed can be read: is it Slurm's?")
    return SlurmReading(queue.groups, queue.running, groups, node_table, malformed)


def commands_with(end: str) -> tuple[Sequence[str], ...]:
    """Return what a reading runs."""
    groups = f"--Format={output_format(end, *node_groups.FIELDS)}"
    return ((*node_groups.COMMAND, groups), nodes.COMMAND, (*jobs.COMMAND, f"--Format={jobs.job_format(end)}"))


def _output(programs: Programs, command: Sequence[str]) -> bytes:
    return programs.read(command, COMMAND_S, MOST_BYTES, VARIABLES)
