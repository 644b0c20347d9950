"""Nodes and a real Slurm: what holds a node back, what gives it back, and what the gate does to jobs."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, real_slurm
from tests.specs import spec_of
from tests.waiting import wait_until
from trainyard.bootstrap.steps import ASSETS
from trainyard.platforms.parallelcluster.rendering.scheduling import slurm_settings
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses
from trainyard_node.slurm_node import HeldNode, SlurmNode

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    with real_slurm() as made:
        monkeypatch.setenv("SLURM_CONF", made.variables["SLURM_CONF"])
        yield made


def slurm_node(root: Path, name: str) -> SlurmNode:
    places = Places(str(root))
    places.slurm_nodename.parent.mkdir(parents=True, exist_ok=True)
    places.slurm_nodename.write_text(f"{name}\n")
    return SlurmNode(places, RealProcesses())


def test_a_held_node_gets_no_jobs_is_not_drained_and_others_work_on(slurm: Slurm, tmp_path: Path):
    held, free = slurm.nodes
    node = slurm_node(tmp_path, held)
    assert node.hold().reservation == f"trainyard-hold-{held}"
    waiting = slurm.submit("true", f"--nodelist={held}")
    other = slurm.submit("true", f"--nodelist={free}")
    wait_until(lambda: slurm.job(other) == "COMPLETED")
    assert slurm.job(waiting) == "PENDING"
    assert slurm.node(held) in ("idle", "reserved")

    assert node.hold().reservation == f"trainyard-hold-{held}"
    assert node.give_back()
    wait_until(lambda: slurm.job(waiting) == "COMPLETED")
    assert not node.give_back()


def test_root_reaches_a_held_node(slurm: Slurm, tmp_path: Path):
    held, _ = slurm.nodes
    name = slurm_node(tmp_path, held).hold().reservation
    job = slurm.submit("true", f"--nodelist={held}", f"--reservation={name}", uid=0)
    wait_until(lambda: slurm.job(job) == "COMPLETED")


POWER_SAVING = """\
ReconfigFlags=KeepPartState
SlurmctldParameters=idle_on_node_suspend,power_save_interval=1,power_save_min_interval=1
SuspendProgram={place}/suspend
ResumeProgram={place}/suspend
SuspendExcNodes=q-st-cpu-1
SuspendTime=5
SuspendTimeout=5
NodeName=q-dy-cpu-1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=2 RealMemory=500
NodeName=q-dy-cpu-2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=2 RealMemory=500
"""


@pytest.fixture
def power_saving(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Slurm]]:
    """Hand out what starts a newer Slurm that powers its two dynamic nodes down once they are idle, as on AWS."""
    programs = tmp_path_factory.mktemp("programs")
    write_programs(programs)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    place = programs / "suspend"
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    with ExitStack() as running:

        def started(more: str) -> Slurm:
            first, second = free_ports(2)
            host = socket.gethostname().split(".")[0]
            own = POWER_SAVING.format(place=programs, host=host, first=first, second=second)
            slurm = running.enter_context(real_slurm(1, more=own + more))
            monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
            for name in ("q-dy-cpu-1", "q-dy-cpu-2"):
                slurm.start_node(name)
                wait_until(partial(is_idle, slurm, name))
            return slurm

        yield started


def test_a_held_dynamic_node_keeps_its_power_though_slurm_reads_its_configuration_again(
    power_saving: Callable[[str], Slurm], tmp_path: Path
):
    (said,) = slurm_settings(spec_of("software: {setup: cpu, on_failure: hold}"))["CustomSlurmSettings"]
    slurm = power_saving("".join(f"{key}={value}\n" for key, value in said.items()))
    assert slurm_node(tmp_path, "q-dy-cpu-1").hold() == HeldNode("trainyard-hold-q-dy-cpu-1", "")
    slurm.run("scontrol", "reconfigure")
    wait_until(lambda: powered_down(slurm, "q-dy-cpu-2"))
    time.sleep(2)
    assert slurm.node("q-dy-cpu-1") == "reserved"
    slurm.run("scontrol", "update", "NodeName=q-dy-cpu-1", "State=POWER_DOWN")
    wait_until(lambda: powered_down(slurm, "q-dy-cpu-1"))


def test_without_that_setting_a_held_dynamic_node_is_lost_then_and_says_so_before(
    power_saving: Callable[[str], Slurm], tmp_path: Path
):
    slurm = power_saving("")
    assert "stays until Slurm reads its configuration again" in slurm_node(tmp_path, "q-dy-cpu-1").hold().warning
    wait_until(lambda: powered_down(slurm, "q-dy-cpu-2"))
    assert slurm.node("q-dy-cpu-1") == "reserved"
    slurm.run("scontrol", "reconfigure")
    wait_until(lambda: powered_down(slurm, "q-dy-cpu-1"))


def is_idle(slurm: Slurm, name: str) -> bool:
    return slurm.node(name) == "idle"


def powered_down(slurm: Slurm, name: str) -> bool:
    return slurm.node(name)[-1] in "~%"


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def test_a_node_that_is_given_up_is_drained_with_its_reason(slurm: Slurm, tmp_path: Path):
    name, _ = slurm.nodes
    slurm_node(tmp_path, name).give_up("images: no such 'image'; $(reboot)")
    assert slurm.node(name) == "drained"
    reason = slurm.run("sinfo", "--noheader", f"--nodes={name}", "--format=%E")
    assert reason == "trainyard: images: no such  image     reboot "[: len(reason)]


@pytest.fixture
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Slurm, Path]]:
    """Hand out a Slurm whose prolog is the gate, and the folder that holds a root for each node."""
    roots = tmp_path_factory.mktemp("roots")
    prolog = roots / "prolog.d"
    prolog.mkdir()
    gate = prolog / "50_trainyard_job_gate"
    gate.write_text(f'#!/bin/sh\nTRAINYARD_SYSROOT="{roots}/$SLURMD_NODENAME" exec bash {ASSETS}/job-gate.sh\n')
    gate.chmod(0o755)
    with real_slurm(prolog=str(prolog)) as made:
        yield made, roots


def tell(root: Path, status: str) -> None:
    record = root / "var/lib/trainyard/bootstrap.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps({"schema": 1, "status": status}))


def test_jobs_wait_at_the_gate_until_the_node_is_ready(gated: tuple[Slurm, Path], tmp_path: Path):
    slurm, roots = gated
    name, _ = slurm.nodes
    tell(roots / name, "deferred")
    tmp_path.chmod(0o777)
    came = slurm.folder / "came"
    job = slurm.submit(f"touch {came}", f"--nodelist={name}", uid=0)
    wait_until(lambda: slurm.job(job) == "RUNNING")
    assert not came.exists()
    ready = roots / name / "run/trainyard/ready"
    ready.parent.mkdir(parents=True)
    ready.touch()
    wait_until(lambda: slurm.job(job) == "COMPLETED")
    assert came.exists()
    assert slurm.node(name) == "idle"


def test_a_failed_node_is_drained_and_its_job_runs_elsewhere(gated: tuple[Slurm, Path]):
    slurm, roots = gated
    bad, good = slurm.nodes
    tell(roots / bad, "failed")
    tell(roots / good, "ready")
    slurm.run("scontrol", "update", f"NodeName={bad}", "Weight=1")
    slurm.run("scontrol", "update", f"NodeName={good}", "Weight=9")
    job = slurm.submit("true", "--requeue")
    wait_until(lambda: slurm.node(bad) in ("drained", "drain"))
    # A job that is requeued waits for two minutes of its own accord.
    wait_until(lambda: slurm.job(job) == "PENDING")
    slurm.run("scontrol", "update", f"JobId={job}", "StartTime=now")
    wait_until(lambda: slurm.job(job) == "COMPLETED")
    assert slurm.run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%N") in (good, "")
