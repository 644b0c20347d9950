"""Each node with its CPUs, memory and GPUs, from `scontrol show node`.

It takes no list of fields, so only those before any free text are read: what somebody writes into a comment or a reason
comes after them. Who may take jobs and why not is sinfo's to say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

COMMAND = ("scontrol", "show", "node", "--all", "--details", "--oneliner")
# In the order of the line, so that each is looked for only behind the one before. What free text there is comes later.
_KEYS = (
    *("CPUAlloc", "CPUEfctv", "CPUTot", "CPULoad", "Gres", "GresUsed"),
    *("NodeHostName", "RealMemory", "AllocMem", "FreeMem", "State", "Weight"),
)
# CPUEfctv came with Slurm 22.05, GresUsed is told only of nodes that have any, and a future node has no host.
_MAY_LACK = ("CPUEfctv", "GresUsed", "NodeHostName")


class Node(NamedTuple):
    """One node."""

    name: str
    flags: tuple[str, ...]
    """Its state and what adds to it, such as IDLE, CLOUD, POWERED_DOWN."""
    cpus: int
    """Those that jobs may use."""
    allocated_cpus: int
    load: float | None
    """The load average; None while it is powered down."""
    memory_mib: int
    allocated_memory_mib: int
    free_memory_mib: int | None
    """What its operating system calls free; None while it is powered down."""
    gres: str
    used_gres: str
    weight: int
    host: str
    """What its host is called: mostly as the node, with EC2's own names (UseEc2Hostnames) otherwise."""


def read_nodes(output: bytes) -> tuple[dict[str, Node], int]:
    """Return what scontrol printed, and how many lines make no sense.

    A line that names no node goes on from the one before. Of two that say to be the same node the first is it, unless
    a reason with a line break in it came before: who may write reasons is Slurm's administrator.
    """
    malformed = 0
    nodes: dict[str, Node] = {}
    for line in output.decode("utf-8", "replace").split("\n"):
        if not line.startswith("NodeName="):
            continue
        node = _node(line)
        if node is None or node.name in nodes:
            malformed += 1
        else:
            nodes[node.name] = node
    return nodes, malformed


# Most nodes are as they were at the last reading, those without power for days.
@lru_cache(maxsize=16384)
def _node(line: str) -> Node | None:
    values = []
    at = 0
    for key in _KEYS:
        start = line.find(f" {key}=", at)
        if start >= 0:
            at = start + len(key) + 2
            values.append(line[at : line.find(" ", at)])
        elif key in _MAY_LACK:
            values.append("")
        else:
            return None
    allocated, effective, cpus, load, gres, used_gres, host, memory, allocated_memory, free, state, weight = values
    try:
        return Node(
            line[len("NodeName=") : line.index(" ")], tuple(state.rstrip("*").split("+")),
            int(effective or cpus), int(allocated), _number(load),
            int(memory), int(allocated_memory), int(free) if free.isascii() and free.isdigit() else None,
            gres, used_gres, int(weight), host,
        )  # fmt: skip
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
