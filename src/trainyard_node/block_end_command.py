"""`trainyard-node block-end`: lets the jobs on a Capacity Block end before EC2 takes its instances back.

Slurm does it, with what it has for jobs that reach their time limit. A quarter of an hour before the instances go, a
reservation keeps jobs from starting that would not end in time, and the jobs that run get that time as their end: each
is sent the signal that it asked for with `sbatch --signal`, as early as it asked for it. Shortly before the end those
that may be requeued are: they go on with the next block. Where the block is extended meanwhile, all is as before.
https://slurm.schedmd.com/sbatch.html#OPT_signal and https://slurm.schedmd.com/reservations.html
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Optional

from trainyard_node.atomic_write import write_whole
from trainyard_node.errors import NO_SPACE, SETTING, NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.output import err, out
from trainyard_node.places import Places
from trainyard_node.processes import Processes, Ran
from trainyard_node.programs import Programs, RealPrograms
from trainyard_node.record import read_record
from trainyard_node.reservations_command import reservations

_SETTING = "TRAINYARD_CAPACITY_BLOCKS"
_BLOCK = re.compile(r"(cr-[0-9a-f]+):([A-Za-z0-9-]+):([A-Za-z0-9-]+):([0-9]+)")
NOTICE_S = 15 * 60.0
REQUEUE_S = 90.0
"""More than the pause between two calls and KillWait, which is 30 seconds: https://slurm.schedmd.com/slurm.conf.html"""
# EC2 is asked each minute where the end is near, and otherwise as often as clustermgtd asks it.
_NEAR_S, _ASK_AGAIN_S = 3600.0, 600.0
_TIMEOUT_S = 15.0


class Block(NamedTuple):
    """A Capacity Block, and the nodes that come from it."""

    id: str
    queue: str
    compute_resource: str
    minutes: int
    """How long before its end its instances have to be gone."""

    @property
    def reservation(self) -> str:
        """The reservation of Slurm that keeps jobs from its nodes."""
        return f"trainyard-block-{self.id}"


class RunningJob(NamedTuple):
    """A job on nodes of a block."""

    id: str
    time_limit: str
    end: str
    """As Slurm writes it, in the time zone of the machine."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: all that it needs is a setting of the node."""
    del parser


def record_of_ends(places: Places) -> Path:
    """Return the file that says when blocks end, and which jobs were given an earlier end."""
    return places.at("/var/lib/trainyard/block-ends.json")


def run(chosen: argparse.Namespace, world: World, programs: Optional[Programs] = None) -> int:  # noqa: UP045 - 3.9
    """Look at every block once. What cannot be done for one keeps nobody from the others."""
    del chosen
    settings = read_node_env(world.places)
    written = settings.get(_SETTING, "").split()
    blocks = [Block(match[1], match[2], match[3], int(match[4])) for match in map(_BLOCK.fullmatch, written) if match]
    if len(blocks) < len(written):
        raise NodeError(f"{_SETTING} of node.env cannot be read: run trainyard-node.pyz bootstrap again", SETTING)
    former = (read_record(record_of_ends(world.places)) or {}).get("blocks") or {}
    known = {block.id: former.get(block.id) or {} for block in blocks}
    failed = [block for block in blocks if not _follow(block, known, world, settings, programs or RealPrograms())]
    record = {"schema": 1, "blocks": known}
    try:
        write_whole(record_of_ends(world.places), json.dumps(record, indent=2) + "\n")
    except OSError as error:
        raise NodeError(f"cannot write block-ends.json ({error.strerror}): make room", NO_SPACE) from error
    return int(bool(failed))


def _follow(
    block: Block, known: dict[str, dict[str, Any]], world: World, settings: Mapping[str, str], programs: Programs
) -> bool:
    """Do what is due for one block, and keep what is known of it; return False where that failed."""
    try:
        known[block.id] = BlockEnd(block, world, known[block.id]).follow(settings, programs)
    except NodeError as error:
        err(f"{block.id}: {error}")
        return False
    return True


class BlockEnd:
    """The end of one block, and its jobs."""

    def __init__(self, block: Block, world: World, record: Mapping[str, Any]) -> None:
        """Ask nothing yet."""
        self._block, self._processes = block, world.processes
        self._now_s = world.clock.now().timestamp()
        self._end_s: Optional[float] = record.get("end_s")  # noqa: UP045 - 3.9
        self._asked_s: float = record.get("asked_s", 0.0)
        self._limits: dict[str, str] = dict(record.get("time_limits") or {})

    def follow(self, settings: Mapping[str, str], programs: Programs) -> dict[str, Any]:
        """Do what is due now, and return what to remember. Raises NodeError where Slurm does not answer."""
        self._ask(settings, programs)
        if self._end_s is not None:
            left_s = self._gone_s - self._now_s
            if left_s > NOTICE_S:
                self._take_back()
            elif left_s > 0:
                self._give_notice()
                if left_s <= REQUEUE_S:
                    self._requeue()
        return {"end_s": self._end_s, "asked_s": self._asked_s, "time_limits": self._limits}

    @property
    def _gone_s(self) -> float:
        return (self._end_s or 0.0) - self._block.minutes * 60

    def _ask(self, settings: Mapping[str, str], programs: Programs) -> None:
        """Ask EC2 for the end of the block. Where it does not answer, what it said last holds."""
        is_near = self._end_s is not None and self._gone_s - self._now_s < _NEAR_S
        if not is_near and self._now_s - self._asked_s < _ASK_AGAIN_S:
            return
        try:
            told = list(reservations(self._block.id, settings, programs))
        except NodeError as error:
            err(f"{self._block.id}: when it ends is not known anew: {error}")
            return
        self._end_s, self._asked_s = (told[0].end if told else None), self._now_s

    def _give_notice(self) -> None:
        """Let no job begin that would not end in time, and give those that run their end."""
        gone = _slurm_time(self._gone_s)
        is_new = not self._is_reserved()
        if is_new:
            # It lasts until the end of the block: from then on clustermgtd keeps a reservation of its own.
            nodes = ",".join(self._nodes())
            minutes = max(self._block.minutes, 1)
            self._must(
                *("create", "reservation", f"ReservationName={self._block.reservation}", f"Nodes={nodes}"),
                *("Users=root", f"StartTime={gone}", f"Duration={minutes}", "Flags=IGNORE_JOBS"),
            )
        else:
            self._must("update", f"ReservationName={self._block.reservation}", f"StartTime={gone}")
        for job in self._jobs():
            if job.end > gone:
                self._limits.setdefault(job.id, job.time_limit)
                self._scontrol("update", f"JobId={job.id}", f"EndTime={gone}")
                self._scontrol("notify", job.id, f"Capacity Block {self._block.id} ends: this job has until {gone}")
                out(f"{self._block.id}: job {job.id} has until {gone}")

    def _requeue(self) -> None:
        """Requeue the jobs that still run; those that may not be requeued end at their end."""
        for job in self._jobs():
            if self._scontrol("requeue", job.id).status == 0:
                out(f"{self._block.id}: job {job.id} is requeued")
                if job.id in self._limits:
                    self._scontrol("update", f"JobId={job.id}", f"TimeLimit={self._limits.pop(job.id)}")

    def _take_back(self) -> None:
        """Take a notice back: the block has been extended."""
        if self._is_reserved():
            self._must("delete", f"ReservationName={self._block.reservation}")
            out(f"{self._block.id}: it has been extended")
        for job, time_limit in self._limits.items():
            self._scontrol("update", f"JobId={job}", f"TimeLimit={time_limit}")
        self._limits.clear()

    def _is_reserved(self) -> bool:
        ran = self._scontrol("show", "reservation", self._block.reservation)
        if "not found" in ran.output:
            return False
        if ran.status:
            raise NodeError(f"Slurm does not say whether there is {self._block.reservation}: {ran.output.strip()}")
        return f"ReservationName={self._block.reservation} " in ran.output

    def _nodes(self) -> list[str]:
        """Return the names of the block's nodes: QUEUE-st-RESOURCE-NUMBER and QUEUE-dy-RESOURCE-NUMBER.

        https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
        """
        name = re.compile(f"{re.escape(self._block.queue)}-(st|dy)-{re.escape(self._block.compute_resource)}-[0-9]+")
        listed = self._read("sinfo", "--noheader", "--Node", f"--partition={self._block.queue}", "--format=%N")
        nodes = [node for node in dict.fromkeys(listed.split()) if name.fullmatch(node)]
        if not nodes:
            raise NodeError(f"Slurm has no nodes of {self._block.compute_resource} in queue {self._block.queue}")
        return nodes

    def _jobs(self) -> Iterator[RunningJob]:
        nodes = ",".join(self._nodes())
        listed = self._read(
            "squeue", "--noheader", "--states=RUNNING,SUSPENDED", f"--nodelist={nodes}", "--format=%A|%l|%e"
        )
        for line in dict.fromkeys(listed.split("\n")):
            if line.count("|") == 2:
                yield RunningJob(*(part.strip() for part in line.split("|")))

    def _read(self, *command: str) -> str:
        ran = _ran(self._processes, *command)
        if ran.status:
            raise NodeError(f"{command[0]} does not answer: {ran.output.strip()}")
        return ran.output

    def _must(self, *words: str) -> None:
        ran = self._scontrol(*words)
        if ran.status:
            raise NodeError(f"scontrol {words[0]} failed: {ran.output.strip()}")

    def _scontrol(self, *words: str) -> Ran:
        return _ran(self._processes, "scontrol", *words)


def _ran(processes: Processes, *command: str) -> Ran:
    return processes.run(list(command), _TIMEOUT_S)


def _slurm_time(moment_s: float) -> str:
    """Return a time as Slurm reads and writes it: in the time zone of the machine."""
    return datetime.fromtimestamp(moment_s).strftime("%Y-%m-%dT%H:%M:%S")  # noqa: DTZ006  Slurm knows no other
