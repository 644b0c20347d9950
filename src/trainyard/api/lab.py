"""A Slurm on this machine that is that of a spec, to practise on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.errors import InputError, SpecError
from trainyard.lab.breakage import BREAKAGES, Breakage, break_node, mend_node
from trainyard.lab.lab import Lab, lab_of, labs, start, stop
from trainyard.lab.lab_node import lab_nodes
from trainyard.lab.slurm_programs import slurm_programs
from trainyard.platform_table import platform_of

__all__ = ["BREAKAGES", "Breakage", "Lab", "LabNodeState", "StartedLab", "break_node", "lab_of", "labs", "mend_node",
           "node_states", "start_lab", "stop"]  # fmt: skip


class StartedLab(NamedTuple):
    """A lab of a spec that was checked; None where the spec has errors."""

    checked: FileFindings
    lab: Lab | None
    version: str
    """Of Slurm."""


class LabNodeState(NamedTuple):
    """What Slurm says of a node."""

    name: str
    state: str
    reason: str


def start_lab(  # noqa: PLR0913  one for each option
    file: str,
    tell: Callable[[str], None] = lambda _: None,
    *,
    name: str | None = None,
    root: str | None = None,
    share: Sequence[str] = (),
    most_nodes: int | None = None,
    idle_s: int = 600,
    accounting: bool | None = None,
    metrics: bool = False,
) -> StartedLab:
    """Check a spec file and start its Slurm on this machine.

    ``root`` is a folder with another Debian whose Slurm is run, by default that of this machine; its jobs see the
    folders ``share`` too. ``most_nodes`` are started of each kind of nodes; a dynamic node that is idle for ``idle_s``
    stops. ``accounting`` says whether slurmdbd runs, by default where the spec has accounting. With
    ``metrics``, exporters of its nodes, a Prometheus and the page of dashboards run beside it.
    Raises InputError where the spec has no Slurm, programs are missing or the lab runs; TrainyardError where it does
    not come up.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    if checked.has_errors:
        return StartedLab(checked, None, "")
    nodes = lab_nodes(spec, most_nodes) if platform_of(spec).has_slurm else ()
    if not nodes:
        raise InputError(
            "this spec has no nodes of Slurm", where=file, hint="a lab is for clusters with Slurm, and for queues"
        )
    programs = slurm_programs(root, share)
    if accounting is None:
        accounting = spec.parallelcluster.slurm.accounting is not None
    lab = start(name or spec.name, nodes, programs, idle_s=idle_s, accounting=accounting, metrics=metrics, tell=tell)
    return StartedLab(checked, lab, programs.version)


def node_states(lab: Lab) -> Iterator[LabNodeState]:
    """Yield the nodes as Slurm shows them."""
    for line in lab.run("sinfo", "--noheader", "--Node", "--format=%N|%T|%E").splitlines():
        name, state, reason = (*line.strip().split("|", 2), "", "")[:3]
        yield LabNodeState(name, state, "" if reason == "none" else reason)
