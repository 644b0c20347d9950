"""Brings a node up: finds out which it is, writes down its settings and runs the steps of its plan in order.

A second run does all steps again: each of them changes only what is not as it should be. How earlier runs ended stays
in the record.
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from trainyard_node.atomic_write import write_whole
from trainyard_node.clock import in_words
from trainyard_node.deferred_steps import begin_deferred, run_deferred
from trainyard_node.errors import DONE, FAILED, NodeError
from trainyard_node.gpu_uuids import gpu_uuids
from trainyard_node.journal import Journal
from trainyard_node.machine import World
from trainyard_node.node_env import write_node_env
from trainyard_node.outcome import become_ready, fail, keep_up, mark_ready, write_failure
from trainyard_node.places import Places
from trainyard_node.plan import Plan, read_plan
from trainyard_node.processes import end_group, leftover_group
from trainyard_node.record import StatusRecord, StepRecord, read_record
from trainyard_node.run_lock import AskedToEnd, run_lock, signals_raise
from trainyard_node.slurm_node import SlurmNode
from trainyard_node.step_run import StepRunner
from trainyard_node.this_node import Host, Membership, machine, membership

_PROGRAM = """\
#!/bin/sh
exec python3 /opt/trainyard/current/trainyard-node.pyz "$@"
"""


def bootstrap(release: Path, folder: str, world: World) -> int:
    """Bring the node up and return the exit status: 0 where ParallelCluster shall go on with it."""
    if not re.fullmatch(r"s3://[^/\s']+(/[^/\s']+)+", folder):
        raise NodeError(f"{folder!a:.100} is no folder of a cluster: it looks like s3://BUCKET/trainyard/CLUSTER", 2)
    with signals_raise(), run_lock(world.places.lock, world.clock):
        try:
            return _BootstrapRun(Path(os.path.realpath(release)), folder, world).run()
        except AskedToEnd as end:
            return end.exit_status


class _BootstrapRun:
    """One run, from its first line to its exit status."""

    def __init__(self, release: Path, folder: str, world: World) -> None:
        self._release, self._folder, self._world = release, folder, world
        digest = release.name
        self._record = StatusRecord(release=digest if re.fullmatch("[0-9a-f]{64}", digest) else None)
        self._record.started = in_words(world.clock.now())
        self._journal = Journal(self._record, folder, "", world)
        self._slurm: SlurmNode | None = None
        self._was_up = False
        """Whether the node took jobs before this run, and goes on taking them whatever becomes of it."""

    def run(self) -> int:
        """Do the work, and whatever happens: write it down."""
        plan: Plan | None = None
        try:
            self._end_leftover()
            member, this_machine = self._look()
            plan = read_plan(self._release, member.entry)
            self._settle(plan, member, this_machine)
            return self._steps(plan)
        except NodeError as error:
            return self._failed(str(error), plan)
        except AskedToEnd as end:
            return self._ended_by(end)
        except Exception as bug:
            write_failure(self._journal, f"trainyard-node has a fault, please report it: {bug!r}")
            raise

    def _end_leftover(self) -> None:
        group = leftover_group(self._world.places.running_step)
        if group is not None:
            self._journal.warn("ending a step that an earlier run left")
            end_group(group)

    def _look(self) -> tuple[Membership, Host]:
        """Find out which node this is. From here on, the record can be uploaded."""
        places, clock, processes = self._world
        member = membership(places)
        this_machine = machine(places, clock)
        record = self._record
        record.queue, record.hostname = member.queue, this_machine.hostname
        record.instance_id, record.instance_type, record.instance_arn = this_machine.instance
        record.gpus = gpu_uuids(places)
        before = read_record(places.record)
        record.remember(before)
        self._was_up = places.ready.exists() and (before or {}).get("instance_id") == record.instance_id
        if places.ready.exists() and not self._was_up:
            places.ready.unlink()
        self._journal = Journal(record, self._folder, member.region, self._world)
        self._slurm = SlurmNode(places, processes) if member.is_compute else None
        self._journal.changed()
        return member, this_machine

    def _settle(self, plan: Plan, member: Membership, this_machine: Host) -> None:
        """Write the settings for the steps."""
        self._record.cluster, self._record.role = plan.cluster, plan.settings.get("TRAINYARD_ROLE")
        own = {
            "CLUSTER": plan.cluster, "REGION": member.region, "FOLDER": self._folder, "RELEASE": str(self._release),
            "QUEUE": member.queue, "INSTANCE_ID": this_machine.instance.id, "INSTANCE_TYPE": this_machine.instance.type,
            "OS": this_machine.os, "ARCH": this_machine.arch, "ON_FAILURE": plan.on_failure,
        }  # fmt: skip
        own = {f"TRAINYARD_{name}": value for name, value in own.items()}
        of_type = plan.by_type.get(this_machine.instance.type, {})
        write_node_env(self._world.places, {**plan.settings, **of_type, **own})
        try:
            make_current(self._release, self._world.places)
        except OSError as error:
            self._journal.warn(f"cannot write {error.filename} ({error.strerror}): trainyard-node is not on the PATH")

    def _steps(self, plan: Plan) -> int:
        runner = StepRunner(self._release, self._world)
        now = [step for step in plan.steps if not step.deferred]
        for number, step in enumerate(now):
            done = runner.run(step, self._journal)
            if done.status == "failed" and step.required:
                skipped = now[number + 1 :]
                self._record.steps += [
                    StepRecord(step.name, "skipped", step.required, step.deferred) for step in skipped
                ]
                return self._failed(f"{step.name}: {done.message}", plan)
        return self._up(plan, runner)

    def _up(self, plan: Plan, runner: StepRunner) -> int:
        """Give the node to jobs, or leave that to what is deferred."""
        self._record.gpus = gpu_uuids(self._world.places) or self._record.gpus
        if self._slurm is not None and (problem := self._slurm.give_back()):
            self._journal.warn(problem)
        if not any(step.deferred for step in plan.steps):
            return become_ready(self._journal, self._world.places)
        if not plan.deferred(required=True):
            mark_ready(self._journal, self._world.places)
        self._record.status = "deferred"
        self._journal.ended()
        if not begin_deferred(self._world.processes):
            self._journal.warn("trainyard-deferred.service does not start, so its steps run now")
            return run_deferred(plan, runner, self._journal, self._slurm, self._world)
        return DONE

    def _ended_by(self, end: AskedToEnd) -> int:
        why = f"ended by {end.name} before everything was done: see what sent it, such as a time limit"
        for step in self._record.steps:
            if step.status == "running":
                step.status, step.message = "failed", why
        if self._was_up:
            keep_up(self._journal, why)
        else:
            write_failure(self._journal, why)
        return end.exit_status

    def _failed(self, why: str, plan: Plan | None) -> int:
        """Fail the node, unless it took jobs already: then it is as it was, and whoever ran this again is told."""
        if self._was_up:
            keep_up(self._journal, why)
            return FAILED
        return fail(self._journal, why, self._slurm, hold=plan is not None and _holds(plan))


def _holds(plan: Plan) -> bool:
    return plan.on_failure == "hold"


def make_current(release: Path, places: Places) -> None:
    """Lead /opt/trainyard/current to a release, and have trainyard-node on the PATH.

    Raises OSError where that cannot be written, and where the release is that link: it would lead to itself.
    """
    current = places.at("/opt/trainyard/current")
    if release.parent.resolve() / release.name == current.parent.resolve() / current.name:
        raise OSError(errno.ELOOP, "it would lead to itself", str(current))
    current.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not current.is_symlink() or current.readlink() != release:
        new = current.with_name(".current.new")
        if new.is_symlink():
            new.unlink()
        new.symlink_to(release)
        new.replace(current)
    program = places.at("/usr/local/bin/trainyard-node")
    if not os.access(program, os.X_OK) or program.read_bytes() != _PROGRAM.encode():
        write_whole(program, _PROGRAM, 0o755)
