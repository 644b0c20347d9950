"""Commands about one node and a real Slurm: held with a job on it, drained when that is over, given back."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.node.newer_slurm import ROOT, SID_ROOT, write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.operate.slurm.node_commands import NodeCommands
from trainyard.operate.slurm.slurm_state import SlurmNode, slurm_state

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]


@pytest.fixture(
    params=[
        pytest.param(None, id="22.05"),
        pytest.param(ROOT, id="24.11"),
        pytest.param(SID_ROOT, id="26.05", marks=pytest.mark.exhaustive),
    ]
)
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Slurm]:
    if request.param is not None:
        programs = tmp_path_factory.mktemp("programs")
        write_programs(programs, request.param)
        monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    with real_slurm() as started:
        monkeypatch.setenv("SLURM_CONF", started.variables["SLURM_CONF"])
        yield started


def state_of(name: str) -> SlurmNode:
    return next(node for node in slurm_state(LocalSlurm()).nodes if node.name == name)


def test_a_held_node_keeps_its_job_gets_no_other_and_is_drained_when_it_is_over(slurm: Slurm):
    name, free = slurm.nodes
    commands = NodeCommands(LocalSlurm(), name)
    job = slurm.submit("sleep 600", f"--nodelist={name}")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    commands.hold()
    commands.hold()  # as a call that goes on does
    assert commands.is_held()
    waiting, other = slurm.submit("true", f"--nodelist={name}"), slurm.submit("true", f"--nodelist={free}")
    wait_until(lambda: slurm.job(other) == "COMPLETED")
    assert (slurm.job(job), slurm.job(waiting)) == ("RUNNING", "PENDING")
    assert commands.jobs() == (f"job {job} of nobody on 1 node",)

    commands.drain("Xid 79; $(reboot) | `x`")
    assert (slurm.job(job), slurm.node(name)) == ("RUNNING", "draining")
    slurm.run("scancel", job)
    # Not by Slurm.node: 24.11 goes on to answer that same question with draining for as long as nothing else is asked.
    wait_until(lambda: state_of(name).plain_state == "drained", lambda: state_of(name))
    assert commands.jobs() == ()
    state = state_of(name)
    assert state.reason.startswith("trainyard: Xid 79")
    assert not set("$;|`") & set(state.reason)

    slurm.run("scontrol", "update", f"NodeName={name}", "State=RESUME")
    wait_until(lambda: slurm.node(name) in ("idle", "reserved", "planned"), lambda: slurm.node(name))
    assert slurm.job(waiting) == "PENDING"
    commands.release()
    commands.release()
    wait_until(lambda: slurm.job(waiting) == "COMPLETED")


def test_a_node_that_a_health_check_holds_already_is_held_as_well_and_both_are_told_apart(slurm: Slurm):
    name, _ = slurm.nodes
    own = f"trainyard-hold-{name}"
    slurm.run(
        "scontrol", "create", "reservation", f"ReservationName={own}", f"Nodes={name}", "Users=root", "StartTime=now",
        "Duration=60", "Flags=IGNORE_JOBS",
    )  # fmt: skip
    commands = NodeCommands(LocalSlurm(), name)
    commands.hold()
    shown = slurm.run("scontrol", "show", "reservation")
    assert f"ReservationName={own} " in shown
    assert f"ReservationName={commands.reservation} " in shown
    assert "MAINT" not in shown
    commands.release()
    assert f"ReservationName={own} " in slurm.run("scontrol", "show", "reservation")


def test_jobs_end_only_where_somebody_lets_them(slurm: Slurm):
    name, _ = slurm.nodes
    commands = NodeCommands(LocalSlurm(), name)
    job = slurm.submit("sleep 600", f"--nodelist={name}", "--no-requeue")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    commands.end_jobs("slow")
    wait_until(lambda: slurm.job(job) == "NODE_FAIL")
