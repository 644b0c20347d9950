"""The Slurm of an emulated head node: its partitions, and jobs that somebody submits; none of them runs anything.

It answers sinfo, squeue, scontrol update of a partition, sbatch --wrap, also with --test-only, and scancel, as far as
trainyard and whoever practises on a kept rehearsal call them. Who has jobs and where is kept by the head node's
instance, so that a cluster which is made again begins anew. https://slurm.schedmd.com/man_index.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

_AVAILABILITY = {"UP": "up", "DOWN": "down", "DRAIN": "drain", "INACTIVE": "inactive"}
# What Slurm says where a partition takes no jobs: slurm/slurm_errno.h of https://github.com/SchedMD/slurm
_NOT_AVAILABLE = "Required partition not available (inactive or drain)\n"
_NOT_SUBMITTED = f"sbatch: error: Batch job submission failed: {_NOT_AVAILABLE}"
_NO_ALLOCATION = f"allocation failure: {_NOT_AVAILABLE}"


class Answer(NamedTuple):
    """What a command prints, and how it ends."""

    status: int = 0
    output: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A job that is not over. It waits where it began to wait, and runs otherwise."""

    number: int
    partition: str
    name: str = "wrap"
    state: str = "RUNNING"


class SlurmNode(NamedTuple):
    """A node as it is configured."""

    partition: str
    name: str
    address: str | None
    """Of its instance; None where it has none."""


@dataclass(slots=True)
class Slurm:
    """What one head node knows."""

    closed: dict[str, str] = field(default_factory=dict)
    """States of partitions that somebody has set."""
    jobs: list[Job] = field(default_factory=list)
    submitted: int = 0

    @property
    def inactive(self) -> frozenset[str]:
        """Return the partitions of which no node is to run."""
        return frozenset(name for name, state in self.closed.items() if state == "INACTIVE")

    def answer(self, words: Sequence[str], partitions: Sequence[str]) -> Answer | None:
        """Return the answer to a command; None to one that is none of Slurm's here. ``partitions`` are configured."""
        program, options = _program(words)
        if program == "sinfo":
            return Answer(output="".join(f"{name} {self._availability(name)}\n" for name in partitions))
        if program == "squeue":
            chosen = options.get("--partition", "").split(",")
            jobs = [job for job in self.jobs if chosen == [""] or job.partition in chosen]
            return Answer(output="".join(_line(job, options.get("--format", "%i")) for job in jobs))
        if program == "scontrol" and "update" in words and "PartitionName" in options:
            return self._updated(options["PartitionName"], options.get("State", "UP"), partitions)
        if program == "sbatch" and "--wrap" in options:
            partition = options.get("--partition", next(iter(partitions), ""))
            return self._submitted(partition, only_tests="--test-only" in words)
        if program == "scancel":
            self.jobs = [job for job in self.jobs if str(job.number) not in words]
            return Answer()
        return None

    def report(self, partitions: str, nodes: Iterable[SlurmNode]) -> str:
        """Return what edge/remote/slurm_state.sh prints of some nodes, and of jobs, also of a few partitions.

        A job that runs has the first node of its partition that has power and no other job.
        """
        jobs = [job for job in self.jobs if not partitions or job.partition in partitions.split(",")]
        counts = "".join(_line(job, "1 %T|%u|%P|%D") for job in jobs)
        listed = "".join(_line(job, "%i|%T|%u|%P|%D|N/A|") for job in jobs)
        names = "".join(_line(job, "%i|%j") for job in jobs)
        busy = Counter(job.partition for job in self.jobs if job.state == "RUNNING")
        shown = []
        for node in nodes:
            state = "idle~" if node.address is None else "idle"
            if node.address is not None and busy[node.partition]:
                busy[node.partition] -= 1
                state = "allocated"
            shown.append(f"{node.partition}|{node.name}|{state}|{node.address or node.name}|none\n")
        return f"== nodes\n{''.join(shown)}== counts\n{counts}== jobs\n{listed}== names\n{names}"

    def _availability(self, partition: str) -> str:
        return _AVAILABILITY[self.closed.get(partition, "UP")]

    def _updated(self, partition: str, state: str, partitions: Sequence[str]) -> Answer:
        if partition not in partitions:
            return Answer(1, error="slurm_update error: Invalid partition name specified\n")
        self.closed[partition] = state
        if state == "INACTIVE":
            # clustermgtd ends its nodes, and Slurm requeues what ran on them.
            self.jobs = [replace(job, state="PENDING") if job.partition == partition else job for job in self.jobs]
        return Answer()

    def _submitted(self, partition: str, *, only_tests: bool) -> Answer:
        if self.closed.get(partition) in ("DRAIN", "INACTIVE"):
            return Answer(1, error=_NO_ALLOCATION if only_tests else _NOT_SUBMITTED)
        if only_tests:
            return Answer()
        self.submitted += 1
        self.jobs.append(Job(self.submitted, partition))
        return Answer(output=f"Submitted batch job {self.submitted}\n")


_SLURMS: dict[str, Slurm] = {}


def slurm_of(head_node: str) -> Slurm:
    """Return the Slurm of a head node, by its instance id."""
    return _SLURMS.setdefault(head_node, Slurm())


def _program(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the name of the program, without sudo before it, and its options that have a value."""
    beginning = next((at for at, word in enumerate(words) if word not in ("sudo", "-n")), 0)
    pairs = (word.partition("=") for word in words[beginning + 1 :])
    options = {name: value for name, equals, value in pairs if equals}
    return words[beginning].rpartition("/")[2] if words else "", options


def _line(job: Job, form: str) -> str:
    values = {"%i": str(job.number), "%u": "ubuntu", "%T": job.state, "%j": job.name, "%P": job.partition, "%D": "1"}
    for place, value in values.items():
        form = form.replace(place, value)
    return f"{form}\n"
