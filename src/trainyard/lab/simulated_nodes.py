"""The nodes of a lab as their exporters would see them: what Slurm gives them to do, and how they were broken.

Whoever looks again and again remembers: counters go on where they were, and a trouble that is over has been there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trainyard.lab.lab import Lab
from trainyard.lab.lab_node import LabNode
from trainyard.lab.lab_process import LabProcess, processes
from trainyard.simulation.node import SimulatedNode, Spell, Trouble, data

_STOPPED = "T"  # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
_BUSY = ("allocated", "mixed", "completing")
# Of a GPU that fails, one is hit: the first.
_OF_ONE_GPU = (0,)


class SimulatedState(NamedTuple):
    """What a node does now, and what ails it."""

    is_there: bool
    """Whether there is an instance at all: a dynamic node that nobody wants has none."""
    activity: str
    """`busy` or `idle`."""
    troubles: frozenset[str]
    """Entries of troubles.yaml."""


def node_states_now(lab: Lab) -> dict[str, SimulatedState]:
    """Look at all nodes of a lab. Raises TrainyardError where slurmctld does not answer."""
    said = lab.run("sinfo", "--noheader", "--Node", "--format=%N|%T").split()
    slurm = dict(line.partition("|")[::2] for line in said)
    sick = {place.name: place.read_text(encoding="utf-8") for place in (lab.folder / "sick").iterdir()}
    return states_of(lab, slurm, sick, list(processes()))


def states_of(
    lab: Lab, slurm: Mapping[str, str], sick: Mapping[str, str], found: Sequence[LabProcess]
) -> dict[str, SimulatedState]:
    """Return the states of nodes, from what Slurm says, what health checks say, and which processes there are."""
    alive = {_node_of_daemon(process, lab) for process in found if process.name == "slurmd" and not _is_frozen(process)}
    hanging, waiting = _hanging_nodes(found, lab.name)
    states = {}
    for node in lab.nodes:
        state = slurm.get(node.name, "down~")  # sinfo leaves out dynamic nodes that are powered down
        troubles = {
            *(["dead"] if node.name not in alive else []),
            *(["hang"] if node.name in hanging else ["waits"] if node.name in waiting else []),
            *([trouble_of(sick[node.name])] if node.name in sick else []),
        }
        is_there = node.is_static or not state.endswith(("~", "#", "%"))
        activity = "busy" if state.rstrip("*~#%$@^-+").lower() in _BUSY else "idle"
        states[node.name] = SimulatedState(is_there, activity, frozenset(troubles))
    return states


def trouble_of(reason: str) -> str:
    """Return the trouble that a health check tells of: of those that its check finds, the one with its Xid."""
    check = reason.partition(":")[0].strip()
    finds = {
        name: effects for name, effects in data("troubles").items() if effects.get("checks", {}).get(check) == "failed"
    }
    told = next((name for name, effects in finds.items() if f"Xid {effects.get('xid')}" in reason), None)
    return told or next(iter(finds), "bad-row")


def _is_frozen(process: LabProcess) -> bool:
    return process.state == _STOPPED


def _node_of_daemon(process: LabProcess, lab: Lab) -> str | None:
    words = process.arguments
    if not any(f"{lab.folder}/" in word for word in words) or "-N" not in words[:-1]:
        return None
    return words[words.index("-N") + 1]


def _hanging_nodes(found: Iterable[LabProcess], lab: str) -> tuple[set[str], set[str]]:
    """Return nodes with frozen processes of jobs, and all nodes of these jobs."""
    in_jobs = [
        (process, process.variables["SLURM_JOB_ID"], process.variables["SLURMD_NODENAME"])
        for process in found
        if process.variables.get("SLURM_CLUSTER_NAME") == lab
        and {"SLURM_JOB_ID", "SLURMD_NODENAME"} <= process.variables.keys()
    ]
    hanging = {node for process, _, node in in_jobs if _is_frozen(process)}
    jobs = {job for process, job, _ in in_jobs if _is_frozen(process)}
    return hanging, {node for _, job, node in in_jobs if job in jobs}


class SimulatedNodes:
    """The nodes of a lab with all that has been seen of them."""

    def __init__(self, nodes: Sequence[LabNode], began_s: float) -> None:
        """Begin at a moment, with nodes that are idle."""
        self._nodes = {node.name: node for node in nodes}
        self._seen = {
            node.name: SimulatedNode(node.name, "Compute", node.instance_type, number, (Spell(began_s, "idle"),))
            for number, node in enumerate(nodes, 1)
        }
        self._there: set[str] = set()

    def see(self, states: Mapping[str, SimulatedState], at_s: float) -> None:
        """Take what nodes do at a moment."""
        for name, state in states.items():
            node = self._seen[name]
            spells = node.spells
            if spells[-1].activity != state.activity:
                spells = (*spells, Spell(at_s, state.activity))
            over = [
                trouble._replace(until_s=at_s) if trouble.ails(at_s) and trouble.id not in state.troubles else trouble
                for trouble in node.troubles
            ]
            known = {trouble.id for trouble in over if trouble.ails(at_s)}
            new = [Trouble(one, at_s, gpus=_gpus_hit(one)) for one in sorted(state.troubles - known)]
            if spells != node.spells or (*over, *new) != node.troubles:
                self._seen[name] = SimulatedNode(
                    node.host, node.kind, node.instance_type, node.phase, spells, (*over, *new)
                )
        self._there = {name for name, state in states.items() if state.is_there}

    def there(self) -> list[tuple[LabNode, SimulatedNode]]:
        """Return the nodes that there are instances of."""
        return [(self._nodes[name], node) for name, node in self._seen.items() if name in self._there]


def _gpus_hit(trouble: str) -> tuple[int, ...]:
    checks = data("troubles")[trouble].get("checks", {})
    return _OF_ONE_GPU if any(check in data("node_checks")["of_devices"] for check in checks) else ()
