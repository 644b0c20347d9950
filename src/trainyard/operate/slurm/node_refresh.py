"""Lets compute nodes that run an older release start anew with the published one: idle ones, or all after their jobs.

POWER_DOWN_ASAP lets jobs that run go on, also one that begins in between, starts none, and powers the node down then:
https://slurm.schedmd.com/scontrol.html#OPT_POWER_DOWN_ASAP. clustermgtd starts a static node again; a dynamic one comes
with the next job: https://github.com/aws/aws-parallelcluster/blob/develop/tests/integration-tests/tests/schedulers/test_slurm.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from trainyard.operate.slurm.node_commands import NodeCommands
from trainyard.operate.slurm.slurm_state import HeadNode, slurm_state

_REASON = "a new release"


class NodeRefresh(NamedTuple):
    """What came of it, by names of nodes in Slurm."""

    release: str
    """SHA-256 of the release that is published."""
    started_anew: tuple[str, ...] = ()
    """Those that power down as soon as they have no job."""
    busy: tuple[str, ...] = ()
    """Those with an older release that have jobs, and are left."""
    withheld: tuple[str, ...] = ()
    """Those with an older release that are held, drained or down, and are left."""
    unknown: tuple[str, ...] = ()
    """Those that do not say what they run: they are coming up, or have not reported."""
    current: int = 0
    """How many run it already."""


def refresh_nodes(
    head: HeadNode, releases: Mapping[str, str | None], release: str, *, queue: str | None, after_jobs: bool
) -> NodeRefresh:
    """Let nodes start anew whose release is an older one.

    ``releases`` are what nodes say that they run, by their addresses; None of those that say nothing. With
    ``after_jobs`` those with jobs as well, once these are over.
    Raises TrainyardError where Slurm does not answer, or refuses.
    """
    chosen: dict[str, list[str]] = {"started_anew": [], "busy": [], "withheld": [], "unknown": [], "current": []}
    for node in slurm_state(head).nodes:
        if not node.has_power or node.address not in releases or queue not in (None, *node.queues):
            continue
        own = releases[node.address]
        if own is None or own == release:
            kind = "unknown" if own is None else "current"
        elif node.has_jobs and node.plain_state != "draining":
            kind = "started_anew" if after_jobs else "busy"
        else:
            kind = "started_anew" if node.state == "idle" else "withheld"
        chosen[kind].append(node.name)
    for name in chosen["started_anew"]:
        NodeCommands(head, name).power_down_after_jobs(_REASON)
    current = len(chosen.pop("current"))
    return NodeRefresh(release, **{kind: tuple(names) for kind, names in chosen.items()}, current=current)
