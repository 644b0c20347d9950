"""What `trainyard-node health` prints, and what it returns."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from tests.node.health.node import Node
from tests.node.health.slurm import NAME, RESERVATION, FakeSlurm
from trainyard_node.errors import NodeError
from trainyard_node.health.checks import NAMES
from trainyard_node.health_command import add_arguments
from trainyard_node.health_command import run as health
from trainyard_node.machine import World

KEPT_WELL = "A9FEA97B,169.254.169.123,4,1795262400.1,-0.000012,0.1,0.1,-7.1,0.0,0.01,0.0003,0.0002,16.1,Normal\n"


@pytest.fixture
def slurm() -> FakeSlurm:
    return FakeSlurm()


@pytest.fixture
def node(tmp_path: Path, slurm: FakeSlurm) -> Node:
    """Hand out a node of a CPU queue whose shared file system is mounted."""
    made = Node(tmp_path)
    made.processes = slurm
    made.world = made.world._replace(processes=slurm)
    made.settings(INSTANCE_TYPE="c7i.48xlarge", SETUP="cpu", GPUS="0", EFA_INTERFACES="0", FABRIC="none")
    made.write("/etc/parallelcluster/slurm_plugin/slurm_nodename", NAME)
    made.mounts("10.0.0.7@tcp:/fsx /fsx lustre rw 0 0")
    made.says("chronyc", KEPT_WELL)
    return made


def run(world: World, *words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return health(parser.parse_args(words), world)


def test_a_healthy_node_is_said_to_be_so(node: Node, capsys: pytest.CaptureFixture[str]):
    assert run(node.world) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"healthy: none of {len(NAMES)} checks failed"
    assert "ok       shared-mounted   /fsx: lustre is mounted here and answers" in lines


def test_a_sick_node_is_said_to_be_so_with_what_to_do_the_worst_first(node: Node, capsys: pytest.CaptureFixture[str]):
    node.mounts()
    assert run(node.world) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"unhealthy: 1 of {len(NAMES)} checks failed"
    assert lines[1] == "failed   shared-mounted   /fsx: nothing is mounted here"
    assert lines[2].strip().startswith("run 'mount --all'")


def test_warnings_and_doubts_are_counted_and_keep_nobody_from_jobs(node: Node, capsys: pytest.CaptureFixture[str]):
    node.mounts("10.0.0.7@tcp:/fsx /fsx lustre ro 0 0")
    node.says("chronyc", "", status=1)
    node.says("timedatectl", "", status=1)
    assert run(node.world) == 0
    assert capsys.readouterr().out.startswith(
        f"healthy: none of {len(NAMES)} checks failed, 1 warn, 1 could not tell\n"
    )


def test_json_has_every_outcome(node: Node, capsys: pytest.CaptureFixture[str]):
    node.mounts()
    assert run(node.world, "--json") == 1
    values = json.loads(capsys.readouterr().out)
    assert (values["schema"], values["healthy"]) == (1, False)
    assert {outcome["check"] for outcome in values["outcomes"]} == set(NAMES)
    assert {tuple(outcome) for outcome in values["outcomes"]} == {
        ("check", "status", "message", "device", "remedy", "source", "code", "text")
    }


def test_metrics_are_printed(node: Node, capsys: pytest.CaptureFixture[str]):
    assert run(node.world, "--prometheus") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "trainyard_node_healthy 1" in lines
    assert 'trainyard_health_check{check="shared-mounted",status="ok"} 1' in lines


def test_slurm_gets_one_line_with_the_reasons_or_none(node: Node, capsys: pytest.CaptureFixture[str]):
    assert run(node.world, "--slurm") == 0
    assert capsys.readouterr() == ("", "")
    node.mounts()
    node.drives("nvme1n1")
    node.write("/etc/parallelcluster/cfnconfig", "cfn_ephemeral_dir=/scratch\n")
    assert run(node.world, "--slurm") == 1
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.startswith(
        "trainyard: shared-mounted: /fsx: nothing is mounted here; "
        "scratch-mounted: /scratch: nothing is mounted of the instance store, which has 1 drive: "
    )


def test_checks_are_chosen_and_left_out(node: Node, capsys: pytest.CaptureFixture[str]):
    node.mounts()
    assert run(node.world, "--skip", "shared-mounted") == 0
    assert "shared-mounted" not in capsys.readouterr().out
    assert run(node.world, "--json", "--only", "clock-in-sync", "efa-count", "--skip", "efa-count") == 0
    assert {outcome["check"] for outcome in json.loads(capsys.readouterr().out)["outcomes"]} == {"clock-in-sync"}


def test_a_check_that_does_not_exist_is_a_wrong_command_line(node: Node):
    with pytest.raises(SystemExit) as ended:
        run(node.world, "--only", "gpu-temper")
    assert ended.value.code == 2


def test_no_check_at_all_is_a_wrong_command_line(node: Node):
    with pytest.raises(NodeError) as raised:
        run(node.world, "--only", "efa-count", "--skip", "efa-count")
    assert raised.value.status == 2


def test_a_sick_node_is_held_and_a_well_one_given_back(
    node: Node, slurm: FakeSlurm, capsys: pytest.CaptureFixture[str]
):
    node.mounts()
    assert run(node.world, "--hold") == 1
    assert slurm.reservations == {RESERVATION}
    assert "keeps jobs from this node: shared-mounted: /fsx" in capsys.readouterr().err
    node.mounts("10.0.0.7@tcp:/fsx /fsx lustre rw 0 0")
    assert run(node.world, "--hold") == 0
    assert slurm.reservations == set()


def test_without_hold_slurm_is_not_asked_anything(node: Node, slurm: FakeSlurm):
    node.mounts()
    run(node.world, "--slurm")
    assert [words for words in slurm.commands if words[0] == "scontrol"] == []


def test_a_node_that_cannot_be_held_is_one_clear_line_and_still_sick(
    node: Node, slurm: FakeSlurm, capsys: pytest.CaptureFixture[str]
):
    node.mounts()
    slurm.fails.add("create")
    assert run(node.world, "--slurm", "--hold") == 1
    said = capsys.readouterr()
    assert said.out == "trainyard: shared-mounted: /fsx: nothing is mounted here\n"
    assert said.err.count("\n") == 1
    assert "Unable to contact slurm controller" in said.err


def test_a_node_that_is_well_but_cannot_be_given_back_takes_no_jobs(node: Node, slurm: FakeSlurm):
    node.mounts()
    run(node.world, "--hold")
    node.mounts("10.0.0.7@tcp:/fsx /fsx lustre rw 0 0")
    slurm.fails.add("delete")
    assert run(node.world, "--hold") == 1


def test_hold_is_refused_in_a_prolog(node: Node, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SLURM_SCRIPT_CONTEXT", "prolog_slurmd")
    with pytest.raises(NodeError, match="not for a prolog_slurmd") as raised:
        run(node.world, "--hold")
    assert raised.value.status == 2
    assert slurm.commands == []
