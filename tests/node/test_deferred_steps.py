"""Steps that run after Slurm has started, and what a reboot forgets."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from tests.node.machine import NODE_NAME, Machine, states
from tests.waiting import wait_until

pytestmark = pytest.mark.integration


@pytest.fixture
def node(machine: Machine) -> Machine:
    """Return a machine that came up with deferred steps to run."""
    defer(machine, 'touch "$ROOT/came"')
    return machine


def defer(machine: Machine, text: str, *, required: bool = True, on_failure: str = "terminate") -> None:
    step = machine.step(80, "images", text, deferred=True, required=required)
    machine.plan(machine.step(10, "one", ""), step, on_failure=on_failure)
    assert machine.bootstrap().returncode == 0
    assert machine.record()["status"] == "deferred"


def deferred(machine: Machine) -> subprocess.CompletedProcess[str]:
    return machine.run("bootstrap", "--deferred")


def test_they_run_and_the_node_becomes_ready(node: Machine):
    assert node.run("bootstrap-status").returncode == 3
    assert deferred(node).returncode == 0
    assert (node.root / "came").exists()
    assert node.is_ready()
    record = node.uploaded_record()
    assert (record["status"], states(record)) == ("ready", {"one": "done", "images": "done"})


def test_they_wait_for_slurm(node: Machine):
    node.program("systemctl", '[[ -e $STUB/asked-$3 ]] || { touch "$STUB/asked-$3"; exit 3; }')
    assert deferred(node).returncode == 0
    assert node.calls("systemctl")[-2:] == ["systemctl is-active --quiet slurmd"] * 2


def test_an_optional_one_that_fails_keeps_no_jobs_away(machine: Machine):
    defer(machine, "fail 1 'no such image'", required=False)
    assert deferred(machine).returncode == 0
    assert machine.record()["status"] == "ready"
    assert machine.is_ready()


def test_jobs_wait_for_required_ones_only(machine: Machine):
    optional = machine.step(60, "exporter", "[[ -e $ROOT/run/trainyard/ready ]]", deferred=True, required=False)
    required = machine.step(80, "images", "[[ ! -e $ROOT/run/trainyard/ready ]]", deferred=True)
    machine.plan(optional, required)
    assert machine.bootstrap().returncode == 0
    assert not machine.is_ready()
    assert deferred(machine).returncode == 0
    assert states(machine.record()) == {"images": "done", "exporter": "done"}


def test_where_only_optional_ones_are_left_jobs_come_at_once(machine: Machine):
    defer(machine, "", required=False)
    assert machine.is_ready()


def test_a_required_one_that_fails_has_the_node_replaced_through_slurm(machine: Machine):
    defer(machine, "fail 1 \"no such image 'a' in b\"")
    assert deferred(machine).returncode == 1
    assert machine.uploaded_record()["status"] == "failed"
    assert machine.calls("scontrol")[-1] == (
        f"scontrol update NodeName={NODE_NAME} State=DRAIN Reason=trainyard: images: no such image  a  in b"
    )
    assert not machine.is_ready()


def test_a_required_one_that_fails_has_the_node_held_where_that_is_asked_for(machine: Machine):
    defer(machine, "fail 1 broken", on_failure="hold")
    assert deferred(machine).returncode == 1
    assert machine.uploaded_record()["status"] == "held"
    assert not [call for call in machine.calls("scontrol") if "DRAIN" in call]


def test_after_a_reboot_a_node_that_was_ready_is_ready_again(node: Machine):
    deferred(node)
    (node.root / "run/trainyard/ready").unlink()
    (node.root / "came").unlink()
    assert deferred(node).returncode == 0
    assert node.is_ready()
    assert not (node.root / "came").exists()


def test_ended_by_systemd_they_go_on_when_the_node_starts_again(machine: Machine):
    defer(machine, '[[ -e $STUB/mended ]] || { touch "$STUB/began"; sleep 600; }')
    with subprocess.Popen(machine.command("bootstrap", "--deferred"), env=machine.environment()) as process:
        wait_until((machine.stub / "began").exists)
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 143
    assert machine.uploaded_record()["status"] == "deferred"
    machine.tell("mended")
    assert deferred(machine).returncode == 0
    assert machine.record()["status"] == "ready"


@pytest.mark.parametrize("status", ["failed", "held", "running"])
def test_what_failed_is_not_made_ready(node: Machine, status: str):
    record = node.record()
    node.write("var/lib/trainyard/bootstrap.json", json.dumps({**record, "status": status}))
    ran = deferred(node)
    assert (ran.returncode, ran.stdout) == (
        0, f"trainyard: no deferred steps to run: the bootstrap of this node is {status}\n"
    )  # fmt: skip
    assert not node.is_ready()


def test_a_node_made_of_an_image_is_not_made_ready_by_what_the_image_holds(node: Machine):
    record = node.record()
    other = {**record, "instance_id": "i-00000000", "status": "ready"}
    node.write("var/lib/trainyard/bootstrap.json", json.dumps(other))
    assert "this instance was not set up yet" in deferred(node).stdout
    assert not node.is_ready()


def test_a_node_without_a_record_has_nothing_to_do(machine: Machine):
    assert deferred(machine).returncode == 0
    assert not machine.is_ready()
