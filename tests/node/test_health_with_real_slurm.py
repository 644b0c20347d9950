"""The health check and a real Slurm: a sick node gets no jobs and is not drained, and only its own hold is released."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

import trainyard_node
from tests.node.health.node import Node
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.bootstrap.steps import ASSETS
from trainyard_node.clock import RealClock
from trainyard_node.health_command import add_arguments, run
from trainyard_node.machine import World
from trainyard_node.processes import RealProcesses
from trainyard_node.slurm_node import SlurmNode

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
SHARED = "/fsx"
SOURCE = str(Path(trainyard_node.__file__).parent.parent)


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with real_slurm() as made:
        yield made


@pytest.fixture
def nodes(slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Node, str, str]]:
    """Hand out a node that checks its health, its name, and the name of another one. Slurm is as before afterwards."""
    monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
    name, other = slurm.nodes
    node = Node(tmp_path)
    node.world = World(node.places, RealClock(), RealProcesses())
    node.settings(GPUS="0", EFA_INTERFACES="0", SHARED=SHARED)
    node.write("/etc/parallelcluster/slurm_plugin/slurm_nodename", name)
    node.places.at(SHARED).mkdir()
    recover(node)
    yield node, name, other
    for reservation in reservations(slurm):
        slurm.run("scontrol", "delete", f"ReservationName={reservation}")
    if slurm.node(name) != "idle":
        slurm.run("scontrol", "update", f"NodeName={name}", "State=RESUME")
    wait_until(lambda: slurm.node(name) == "idle")


def fall_ill(node: Node) -> None:
    node.mounts()


def recover(node: Node) -> None:
    node.mounts(f"10.0.0.7@tcp:/fsx {SHARED} lustre rw 0 0")


def check(node: Node, *words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(["--only", "shared-mounted", *words]), node.world)


def reservations(slurm: Slurm) -> list[str]:
    shown = slurm.run("scontrol", "--oneliner", "show", "reservation")
    return [word.partition("=")[2] for word in shown.split() if word.startswith("ReservationName=")]


def minutes_left(slurm: Slurm, name: str) -> float:
    shown = slurm.run("scontrol", "--oneliner", "show", "reservation", f"trainyard-hold-{name}")
    (end,) = [word.partition("=")[2] for word in shown.split() if word.startswith("EndTime=")]
    return (datetime.fromisoformat(end).astimezone() - datetime.now().astimezone()).total_seconds() / 60


def test_a_sick_node_gets_no_jobs_stays_undrained_and_is_given_back_when_it_is_well(
    slurm: Slurm, nodes: tuple[Node, str, str]
):
    node, name, other = nodes
    fall_ill(node)
    assert check(node, "--hold") == 1
    assert reservations(slurm) == [f"trainyard-hold-{name}"]
    waiting = slurm.submit("true", f"--nodelist={name}")
    elsewhere = slurm.submit("true", f"--nodelist={other}")
    wait_until(lambda: slurm.job(elsewhere) == "COMPLETED")
    assert slurm.job(waiting) == "PENDING"
    # Planned: for that job, when the reservation ends.
    assert slurm.node(name) in ("idle", "reserved", "planned")

    recover(node)
    assert check(node, "--hold") == 0
    assert reservations(slurm) == []
    wait_until(lambda: slurm.job(waiting) == "COMPLETED")


def test_a_job_that_runs_on_a_node_that_falls_ill_runs_on(slurm: Slurm, nodes: tuple[Node, str, str]):
    node, name, _ = nodes
    job = slurm.submit("sleep 3", f"--nodelist={name}")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    fall_ill(node)
    assert check(node, "--hold") == 1
    assert slurm.job(job) == "RUNNING"
    wait_until(lambda: slurm.job(job) == "COMPLETED")


def test_the_hold_ends_by_itself_unless_a_later_check_makes_it_longer(slurm: Slurm, nodes: tuple[Node, str, str]):
    node, name, _ = nodes
    fall_ill(node)
    assert check(node, "--hold") == 1
    assert 58 <= minutes_left(slurm, name) <= 60
    slurm.run("scontrol", "update", f"ReservationName=trainyard-hold-{name}", "EndTime=now+5minutes")
    assert check(node, "--hold") == 1
    assert 58 <= minutes_left(slurm, name) <= 60


def test_what_the_bootstrap_takes_over_no_longer_ends(slurm: Slurm, nodes: tuple[Node, str, str]):
    node, name, _ = nodes
    fall_ill(node)
    assert check(node, "--hold") == 1
    SlurmNode(node.places, RealProcesses()).hold()
    assert minutes_left(slurm, name) > 300 * 24 * 60


def test_what_an_administrator_reserved_stays(
    slurm: Slurm, nodes: tuple[Node, str, str], capsys: pytest.CaptureFixture[str]
):
    node, name, other = nodes
    slurm.run(
        *("scontrol", "create", "reservation", "ReservationName=upgrade", f"Nodes={name},{other}", "Users=root"),
        *("StartTime=now", "Duration=60"),
    )
    fall_ill(node)
    assert check(node, "--hold") == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert "overlaps with another reservation; jobs of that reservation still start on this node" in said
    recover(node)
    assert check(node, "--hold") == 0
    assert reservations(slurm) == ["upgrade"]
    # What that line says to do.
    slurm.run("scontrol", "update", "ReservationName=upgrade", f"Nodes={other}")
    fall_ill(node)
    assert check(node, "--hold") == 1
    assert sorted(reservations(slurm)) == [f"trainyard-hold-{name}", "upgrade"]


def test_a_reservation_of_the_bootstrap_stays(slurm: Slurm, nodes: tuple[Node, str, str]):
    node, name, _ = nodes
    slurm.run(
        *("scontrol", "create", "reservation", f"ReservationName=trainyard-hold-{name}", f"Nodes={name}"),
        *("Users=root", "StartTime=now", "Duration=60"),
    )
    for become in (fall_ill, recover):
        become(node)
        check(node, "--hold")
        assert reservations(slurm) == [f"trainyard-hold-{name}"]


def test_a_node_that_an_administrator_drained_stays_drained(slurm: Slurm, nodes: tuple[Node, str, str]):
    node, name, _ = nodes
    slurm.run("scontrol", "update", f"NodeName={name}", "State=DRAIN", "Reason=broken fan")
    fall_ill(node)
    assert check(node, "--hold") == 1
    recover(node)
    assert check(node, "--hold") == 0
    assert reservations(slurm) == []
    assert slurm.node(name) == "drained"
    assert slurm.run("sinfo", "--noheader", f"--nodes={name}", "--format=%E") == "broken fan"


# What slurmd starts has no variables that lead it to this Slurm and to the root of the node.
WRAPPER = """\
#!/bin/sh
export SLURM_CONF={conf} TRAINYARD_SYSROOT={root}
exec {script}
"""
COMMAND = """\
#!{python}
import argparse, os, sys
sys.path.insert(0, {source!r})
from trainyard_node.clock import RealClock
from trainyard_node.health_command import add_arguments, run
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses
from trainyard_node.machine import World
parser = argparse.ArgumentParser()
add_arguments(parser)
chosen = parser.parse_args([*sys.argv[2:], "--only", "shared-mounted"])
sys.exit(run(chosen, World(Places(os.environ["TRAINYARD_SYSROOT"]), RealClock(), RealProcesses())))
"""


def test_as_slurms_health_check_program_a_node_holds_itself_and_gives_itself_back(tmp_path: Path):
    node = Node(tmp_path)
    node.settings(SHARED=SHARED)
    node.write("/etc/parallelcluster/slurm_plugin/slurm_nodename", "q-st-cpu-1")
    node.places.at(SHARED).mkdir()
    recover(node)
    command = node.write("/usr/local/bin/trainyard-node", COMMAND.format(python=sys.executable, source=SOURCE))
    program = node.write("/health-check", "")
    for file in (command, program):
        file.chmod(0o755)
    with real_slurm(1, more=f"HealthCheckProgram={program}\nHealthCheckInterval=1\n") as slurm:
        conf, script = slurm.variables["SLURM_CONF"], ASSETS / "health/slurm-health-check.sh"
        program.write_text(WRAPPER.format(conf=conf, root=node.root, script=f"bash {script}"))
        log = slurm.folder / "q-st-cpu-1.log"
        fall_ill(node)
        wait_until(lambda: reservations(slurm) == ["trainyard-hold-q-st-cpu-1"])
        wait_until(lambda: "trainyard: shared-mounted: /fsx: nothing is mounted here" in log.read_text())
        assert slurm.node("q-st-cpu-1") in ("idle", "reserved")
        recover(node)
        wait_until(lambda: reservations(slurm) == [])
