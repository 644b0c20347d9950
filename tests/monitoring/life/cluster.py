"""The nodes and jobs of a life, and what goes wrong in it, as cluster.yaml and faults.yaml say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.monitoring.alert import Alert, alerts
from trainyard.simulation.node import NodeJob, SimulatedNode, Spell, Trouble

_HERE = Path(__file__).parent
_BOOTED_BEFORE_M = 600
# A node that is away for less comes back with its next job.
_SHORT_M = 10


def host_name(phase: int) -> str:
    """Return what EC2 calls the host of a compute node, by what tells it from others."""
    third, fourth = divmod(phase, 200)
    return f"ip-10-0-{32 + third}-{10 + fourth}"


@cache
def _yaml(name: str) -> Any:
    return yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))


class Expected(NamedTuple):
    """An alert that has to fire."""

    alert: str
    within_m: float
    names: tuple[str, ...]


class Job(NamedTuple):
    """A job of a life."""

    id: int
    name: str
    user: str
    account: str
    queue: str
    nodes: tuple[str, ...]
    """Names of Slurm; none while it waits."""
    from_m: float
    to_m: float
    state: str = "RUNNING"
    reason: str = "None"
    wants: int = 0


class SlurmState(NamedTuple):
    """What Slurm says of a node for a time, other than what follows from its jobs."""

    node: str
    state: str
    reason: str
    from_m: float
    to_m: float


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, and what has to be told of it."""

    id: str
    from_m: float
    to_m: float
    alerts: tuple[Expected, ...]
    page: str
    texts: tuple[str, ...]
    content: Mapping[str, Any]


@dataclass(frozen=True)  # without slots: what it consists of is made once
class Life:
    """A cluster over a time."""

    size: int
    healthy: bool = False
    length_m: int = 0
    """Of a life that is longer than that of cluster.yaml."""
    start_s: int = 0
    content: Mapping[str, Any] = field(default_factory=lambda: _yaml("cluster"))

    has_slurm = True

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Return those that can fire."""
        return alerts()

    @property
    def minutes(self) -> int:
        return self.length_m or self.content["length_m"]

    @property
    def end_s(self) -> int:
        return self.start_s + 60 * self.minutes

    def at(self, minute: float) -> float:
        """Return a moment in seconds since 1970."""
        return self.start_s + 60 * minute

    def slurm_name(self, short: str) -> str:
        """Return p5-st-p5-48xlarge-9 for p5-9, and anything else as it is."""
        queue, _, number = short.partition("-")
        if queue not in self.content["queues"] or not number.isdecimal():
            return short
        type_ = self.content["queues"][queue]["instance_type"].replace(".", "-")
        return f"{queue}-st-{type_}-{number}"

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Return the nodes of each queue by Slurm's names."""
        return {
            queue: [self.slurm_name(f"{queue}-{number}") for number in range(1, count + 1)]
            for queue, count in self.content["sizes"][self.size].items()
        }

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        return () if self.healthy else tuple(self._fault(**one) for one in _yaml("faults"))

    def _fault(self, *, id: str, from_m: float, to_m: float, alerts: Any, found: Any = None, **content: Any) -> Fault:  # noqa: A002
        expected = tuple(
            Expected(one["alert"], one["within_m"], tuple(map(self.slurm_name, one["names"]))) for one in alerts
        )
        return Fault(
            id,
            from_m,
            to_m,
            expected,
            found["page"] if found else "",
            tuple(map(self.slurm_name, found["texts"] if found else ())),
            content,
        )

    @cached_property
    def head_dies_s(self) -> float:
        """Return from when on nobody scrapes anything."""
        dead = (self.at(fault.from_m) for fault in self.faults if fault.content.get("head_is_dead"))
        return min(dead, default=float("inf"))

    @cached_property
    def jobs(self) -> list[Job]:
        """Return all jobs, those that wait and each time that one ran."""
        jobs = [run for one in self.content["jobs"] for run in self._runs(**one)]
        waiting = [(fault, one) for fault in self.faults for one in fault.content.get("jobs", ()) if "wants" in one]
        pending = [
            Job(**one, nodes=(), from_m=fault.from_m, to_m=fault.to_m, state="PENDING") for fault, one in waiting
        ]
        return [*jobs, *self._rest(), *pending]

    def _runs(self, *, nodes: Sequence[int], **job: Any) -> Iterator[Job]:
        """Yield a job each time that it runs: after a failure of a node it starts again five minutes later."""
        first, last = nodes
        names = tuple(self.names[job["queue"]][first - 1 : last])
        ends = sorted(
            end
            for fault in self.faults
            for one in fault.content.get("jobs", ())
            if one["id"] == job["id"]
            for end in one["ends_m"]
        )
        begin = -120.0
        for end in ends:
            yield Job(**job, nodes=names, from_m=begin, to_m=end)
            yield Job(**job, nodes=names, from_m=end, to_m=end + 5, state="NODE_FAIL")
            begin = end + 5
        idle = self._idle(names)
        if idle is not None:
            yield Job(**job, nodes=names, from_m=begin, to_m=idle.from_m)
            begin = idle.to_m
        if not self._is_down_for_good(names, begin):
            yield Job(**job, nodes=names, from_m=begin, to_m=self.minutes + 1)

    def _ends_of(self, id_: int) -> list[float]:
        """Return when a job is ended by faults."""
        ended = [one for fault in self.faults for one in fault.content.get("jobs", ()) if one["id"] == id_]
        return sorted(end for one in ended for end in one["ends_m"])

    def _idle(self, names: Sequence[str]) -> SlurmState | None:
        return next((one for one in self.slurm_states if one.state == "idle" and one.node in names), None)

    def _is_down_for_good(self, names: Sequence[str], begin: float) -> bool:
        return any(
            one.node in names and one.state == "down*" and one.to_m - one.from_m > 10 and begin > one.from_m
            for one in self.slurm_states
        )

    def _rest(self) -> Iterator[Job]:
        """Yield jobs for the nodes that no job names."""
        rest = self.content["rest"]
        number = 5000
        for queue, names in self.names.items():
            used = max(job["nodes"][1] for job in self.content["jobs"] if job["queue"] == queue)
            for at in range(used, len(names), rest["nodes"]):
                number += 1
                nodes = tuple(names[at : at + rest["nodes"]])
                yield Job(number, rest["name"], rest["user"], rest["account"], queue, nodes, -120, self.minutes + 1)

    @cached_property
    def slurm_states(self) -> list[SlurmState]:
        return [
            SlurmState(
                self.slurm_name(node), one["state"], one.get("reason", "none"),
                one.get("from_m", fault.from_m), one.get("to_m", fault.to_m),
            )
            for fault in self.faults for one in fault.content.get("slurm", ()) for node in one["nodes"]
        ]  # fmt: skip

    @cached_property
    def nodes(self) -> list[tuple[str, SimulatedNode]]:
        """Return the compute nodes with their queues."""
        jobs = self.jobs
        found: list[tuple[str, SimulatedNode]] = []
        for queue, names in self.names.items():
            type_ = self.content["queues"][queue]["instance_type"]
            for name in names:
                spells, troubles = self._spells(name, jobs), self._troubles(name, jobs)
                told = self.told_jobs(name, jobs)
                found.append((queue, SimulatedNode(name, "Compute", type_, len(found) + 1, spells, troubles, told)))
        return found

    def told_jobs(self, name: str, jobs: Sequence[Job]) -> tuple[NodeJob, ...] | None:
        """Return the jobs that a node tells of itself; None where Slurm tells of all."""
        del name, jobs
        return None

    def head(self) -> SimulatedNode:
        everywhere = [trouble for trouble in self._troubles("", ()) if "host" in trouble.effects]
        return SimulatedNode("ip-10-0-16-4", "HeadNode", "m5.8xlarge", 9001, self._always_idle(), tuple(everywhere))

    def login(self) -> SimulatedNode:
        return SimulatedNode("ip-10-0-16-5", "LoginNode", "m5.large", 9002, self._always_idle())

    def _always_idle(self) -> tuple[Spell, ...]:
        return (Spell(self.at(-_BOOTED_BEFORE_M), "idle"),)

    def _spells(self, name: str, jobs: Sequence[Job]) -> tuple[Spell, ...]:
        spells: dict[float, str] = {-_BOOTED_BEFORE_M: "idle"}
        for job in jobs:
            if name in job.nodes and job.state == "RUNNING":
                spells[job.to_m] = "idle"
        for job in jobs:
            if name in job.nodes and job.state == "RUNNING":
                spells[job.from_m] = "busy"
        return tuple(Spell(self.at(minute), activity) for minute, activity in sorted(spells.items()))

    def _troubles(self, name: str, jobs: Sequence[Job]) -> tuple[Trouble, ...]:
        planted = [
            Trouble(
                one["trouble"], self.at(fault.from_m), self.at(fault.to_m),
                tuple(one.get("gpus", ())), tuple(one.get("devices", ())),
            )
            for fault in self.faults for one in fault.content.get("troubles", ())
            if one["nodes"] == "all" or name in map(self.slurm_name, one["nodes"])
        ]  # fmt: skip
        own = [job for job in jobs if name in job.nodes and job.state == "RUNNING"]
        return (*(trouble for job in own for trouble in self._checkpoints(job)), *planted)

    def _checkpoints(self, job: Job) -> Iterator[Trouble]:
        every_m, length_m = self.content["checkpoint"]["every_m"], self.content["checkpoint"]["length_m"]
        for begin in range(job.id % every_m, self.minutes, every_m):
            if job.from_m <= begin < job.to_m:
                yield Trouble("checkpoint", self.at(begin), self.at(begin + length_m))
