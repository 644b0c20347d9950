"""What goes wrong with a node of a lab, and what puts it right again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from typing import Literal, get_args

from trainyard.counts import count_text
from trainyard.errors import InputError, TrainyardError
from trainyard.lab.lab import Lab
from trainyard.lab.lab_process import LabProcess, job_processes, node_daemon, step_daemons

Breakage = Literal["kill", "freeze", "kill-ranks", "freeze-ranks", "sick"]
BREAKAGES: dict[Breakage, str] = {
    "kill": "the node loses its power: slurmd, its job steps and their ranks are killed",
    "freeze": "the node answers nobody any more: all of them are stopped, and none ends",
    "kill-ranks": "the steps of jobs on it crash; the node stays",
    "freeze-ranks": "the steps of jobs on it hang; the node stays and seems to be well",
    "sick": "its health check fails from now on, with the reason that is given",
}
assert tuple(BREAKAGES) == get_args(Breakage)  # noqa: S101  both lists are in this file
_REASON = "gpu-xid: Xid 79, GPU has fallen off the bus"


def break_node(lab: Lab, node: str, breakage: Breakage, reason: str = _REASON) -> str:
    """Let a node break, and return what was done to it. Raises InputError where the lab has none of this name."""
    _refuse_unknown(lab, node)
    if breakage == "sick":
        (lab.folder / "sick" / node).write_text(reason, encoding="utf-8")
        return f"health check fails: {reason}"
    whole = breakage in ("kill", "freeze")
    number = signal.SIGSTOP if breakage.startswith("freeze") else signal.SIGKILL
    hit: set[int] = set()
    # What is hit may have started another process meanwhile: until nothing new is found.
    while found := [process for process in _processes(lab, node, whole=whole) if process.id not in hit]:
        _signal(found, number)
        hit |= {process.id for process in found}
    if not hit:
        raise TrainyardError(f"nothing runs on {node} that could break", where=node, hint="submit a job to it first")
    return f"{count_text(len(hit), 'process', 'processes')} {'stopped' if number == signal.SIGSTOP else 'killed'}"


def _processes(lab: Lab, node: str, *, whole: bool) -> list[LabProcess]:
    of_jobs = job_processes(lab.name, node)
    if whole:
        return [*node_daemon(lab.folder, node), *step_daemons(lab.folder, node), *of_jobs]
    # Without its batch script a job would end. Where nothing here is in a step, batch scripts are all there is.
    return [process for process in of_jobs if process.is_in_step] or of_jobs


def mend_node(lab: Lab, node: str) -> str:
    """Put a node right: it is well, goes on where it was frozen, starts where it was killed, and takes jobs again."""
    _refuse_unknown(lab, node)
    (lab.folder / "sick" / node).unlink(missing_ok=True)
    daemon = node_daemon(lab.folder, node)
    _signal([*daemon, *step_daemons(lab.folder, node), *job_processes(lab.name, node)], signal.SIGCONT)
    if not daemon and _is_powered(lab, node):
        lab.start_node(node, booted=True)
    if "DRAIN" in _state(lab, node):  # one that is down comes back when its slurmd has registered
        lab.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
    return "well again"


def _refuse_unknown(lab: Lab, node: str) -> None:
    names = [known.name for known in lab.nodes]
    if node not in names:
        raise InputError(f"lab {lab.name} has no node {node[:80]!r}", where=node[:80], hint=f"such as {names[0]}")


def _is_powered(lab: Lab, node: str) -> bool:
    return next(known for known in lab.nodes if known.name == node).is_static or "CLOUD" not in _state(lab, node)


def _state(lab: Lab, node: str) -> str:
    fields = dict(word.partition("=")[::2] for word in lab.run("scontrol", "-o", "show", "node", node).split())
    return fields.get("State", "")


def _signal(hit: Iterable[LabProcess], number: signal.Signals) -> None:
    for process in hit:
        try:
            os.kill(process.id, number)
        except ProcessLookupError:
            continue
