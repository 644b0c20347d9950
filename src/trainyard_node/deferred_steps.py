"""Steps that must not delay a node: they run once Slurm does, and jobs wait for the required ones among them.

trainyard-deferred.service runs this, when the bootstrap has ended and whenever the node starts again.
"""

from __future__ import annotations

from pathlib import Path

from trainyard_node.errors import DONE, FAILED, NodeError
from trainyard_node.journal import Journal
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.outcome import become_ready, hold_node, mark_ready, write_failure
from trainyard_node.output import out
from trainyard_node.plan import Plan, read_plan
from trainyard_node.processes import NOT_FOUND, Processes
from trainyard_node.record import StatusRecord, read_record, record_from
from trainyard_node.run_lock import AskedToEnd, run_lock, signals_raise
from trainyard_node.slurm_node import SlurmNode
from trainyard_node.step_run import StepRunner
from trainyard_node.this_node import Membership, machine, membership

UNIT = "trainyard-deferred.service"
# The bootstrap that started the unit ends soon after; another one may take its whole time.
WAIT_FOR_BOOTSTRAP_S = 2 * 3600.0
WAIT_FOR_SLURM_S = 1800.0
POLL_S = 5.0


def begin_deferred(processes: Processes) -> bool:
    """Let systemd run the deferred steps, without waiting for them."""
    return processes.run(["systemctl", "start", "--no-block", UNIT], 15).status == 0


def bootstrap_deferred(world: World) -> int:
    """Run what was deferred, or say again that the node is ready, as no reboot remembers."""
    with signals_raise():
        try:
            return _bootstrap_deferred(world)
        except AskedToEnd as end:
            return end.exit_status


def _bootstrap_deferred(world: World) -> int:
    with run_lock(world.places.lock, world.clock, WAIT_FOR_BOOTSTRAP_S):
        before = read_record(world.places.record)
        instance = machine(world.places, world.clock).instance
        if before is None or before.get("instance_id") != instance.id:
            return _nothing_to_do("this instance was not set up yet")
        member = membership(world.places)
        # An older release wrote no ARN into its record.
        journal = _journal(record_from({**before, "instance_arn": instance.arn}), member, world)
        if journal.record.status == "ready":
            mark_ready(journal, world.places)
            return _nothing_to_do("everything is done")
        if journal.record.status != "deferred":
            return _nothing_to_do(f"the bootstrap of this node is {journal.record.status}")
        return _run(journal, member, world)


def run_deferred(plan: Plan, runner: StepRunner, journal: Journal, slurm: SlurmNode | None, world: World) -> int:
    """Run the deferred steps of a plan, and let jobs come once all required ones are done: they wait for no others."""
    for step in plan.deferred(required=True):
        done = runner.run(step, journal)
        if done.status == "failed":
            write_failure(journal, f"{step.name}: {done.message}")
            _keep_from_jobs(journal, slurm, hold=plan.on_failure == "hold")
            return FAILED
    mark_ready(journal, world.places)
    for step in plan.deferred(required=False):
        runner.run(step, journal)
    return become_ready(journal, world.places)


def _run(journal: Journal, member: Membership, world: World) -> int:
    slurm = SlurmNode(world.places, world.processes) if member.is_compute else None
    release = Path(read_node_env(world.places).get("TRAINYARD_RELEASE", ""))
    runner = StepRunner(release, world)
    try:
        plan = read_plan(release, member.entry)
        _wait_for_slurm(member, journal, world)
        return run_deferred(plan, runner, journal, slurm, world)
    except NodeError as error:
        write_failure(journal, str(error))
        _keep_from_jobs(journal, slurm, hold=False)
        return FAILED
    except AskedToEnd as end:
        return _to_be_continued(journal, end)


def _keep_from_jobs(journal: Journal, slurm: SlurmNode | None, *, hold: bool) -> None:
    """Slurm runs already, so the exit status no longer says anything to ParallelCluster, but the node's state does."""
    if slurm is None or (hold and hold_node(journal, slurm)):
        return
    try:
        slurm.give_up(journal.record.message)
    except NodeError as error:
        journal.warn(f"{error}: jobs that start here fail")


def _to_be_continued(journal: Journal, end: AskedToEnd) -> int:
    journal.record.steps = [step for step in journal.record.steps if step.status != "running"]
    journal.warn(f"ended by {end.name}: the deferred steps run when the node starts again")
    journal.ended()
    return end.exit_status


def _wait_for_slurm(member: Membership, journal: Journal, world: World) -> None:
    unit = {"head": "slurmctld"}.get(member.entry, "slurmd" if member.is_compute else None)
    if unit is None:
        return
    end = world.clock.seconds() + WAIT_FOR_SLURM_S
    while world.clock.seconds() < end:
        if world.processes.run(["systemctl", "is-active", "--quiet", unit], 15).status in {0, NOT_FOUND}:
            return
        world.clock.sleep(POLL_S)
    journal.warn(f"{unit} does not run after {WAIT_FOR_SLURM_S:g} s: going on without it")


def _journal(record: StatusRecord, member: Membership, world: World) -> Journal:
    folder = read_node_env(world.places).get("TRAINYARD_FOLDER", "")
    return Journal(record, folder, member.region, world)


def _nothing_to_do(why: str) -> int:
    out(f"trainyard: no deferred steps to run: {why}")
    return DONE
