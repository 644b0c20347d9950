"""What is damaged, hostile or out of reach gets one clear line and the documented exit status."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.node.doubles import FakeClock
from tests.node.machine import CLUSTER_FOLDER, Machine, states
from trainyard_node.errors import NodeError
from trainyard_node.imds import ENDPOINT, this_instance
from trainyard_node.places import Places
from trainyard_node.plan import read_plan
from trainyard_node.this_node import membership, system

HOSTILE = ["../../etc", "$(touch x)", "a b", "';touch x;'", "ünïcode", "-rf", "q" * 300, "a/b", '"quoted"', "*"]


def plan_with(tmp_path: Path, change: dict[str, Any], step: dict[str, Any]) -> Path:
    """Write a release whose plan differs from a right one."""
    (tmp_path / "steps").mkdir(exist_ok=True)
    (tmp_path / "steps/10-one.sh").touch()
    right = {
        "name": "one", "script": "steps/10-one.sh", "required": True, "network": False, "timeout_s": 9,
        "deferred": False,
    }  # fmt: skip
    nodes = {"head": {"settings": {}, "steps": [{**right, **step}]}}
    values = {"schema": 1, "cluster": "llm", "region": "us-east-2", "on_failure": "hold", "nodes": nodes}
    (tmp_path / "plan.json").write_text(json.dumps({**values, **change}))
    return tmp_path


def test_a_plan_that_is_right_is_read(tmp_path: Path):
    plan = read_plan(plan_with(tmp_path, {}, {}), "head")
    assert (plan.cluster, plan.on_failure, [step.log_name for step in plan.steps]) == ("llm", "hold", ["10-one.log"])


@pytest.mark.parametrize(
    ("change", "step", "why"),
    [
        ({"schema": 2}, {}, "its schema is not 1"),
        ({"on_failure": "shrug"}, {}, "on_failure is 'shrug'"),
        ({"cluster": "a b"}, {}, "cluster is 'a b'"),
        ({"nodes": []}, {}, "nodes is []"),
        ({"nodes": {"login": {}}}, {}, "it says nothing about 'head', only about 'login'"),
        ({"nodes": {"head": {"settings": {"A": 1}, "steps": []}}}, {}, "settings is {'A': 1}"),
        ({"nodes": {"head": {"settings": {}, "steps": [7]}}}, {}, "a step is no mapping"),
        ({}, {"script": "../../bin/sh"}, "script is '../../bin/sh'"),
        ({}, {"script": "steps/10-two.sh"}, "steps/10-two.sh is missing in the release"),
        ({}, {"name": "a/b"}, "name is 'a/b'"),
        ({}, {"timeout_s": 0}, "timeout_s is 0"),
        ({}, {"timeout_s": True}, "timeout_s is True"),
        ({}, {"required": "yes"}, "required is 'yes'"),
    ],
)
def test_a_damaged_plan_says_where(tmp_path: Path, change: dict[str, Any], step: dict[str, Any], why: str):
    with pytest.raises(NodeError) as raised:
        read_plan(plan_with(tmp_path, change, step), "head")
    assert str(raised.value) == (f"plan.json of the release in {tmp_path} is damaged: {why}; publish the release again")


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "nul", "\x00"])
def test_a_plan_that_is_no_plan_is_refused(tmp_path: Path, text: str):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(NodeError, match="is damaged"):
        read_plan(tmp_path, "head")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('ID=ubuntu\nVERSION_ID="22.04"\n', "ubuntu2204"),
        ('NAME="Amazon Linux"\nID="amzn"\nVERSION_ID="2023"\n', "alinux2023"),
        ("ID=debian\nVERSION_ID='12'\n", "debian12"),
        ("# nothing\nID='$(reboot)\n", "unknown"),
    ],
)
def test_systems_have_short_names(tmp_path: Path, text: str, name: str):
    places = Places(str(tmp_path))
    places.os_release.parent.mkdir()
    places.os_release.write_text(text)
    assert system(places) == name


@pytest.mark.parametrize(
    "text", ["", "cfn_node_type=Other\ncfn_region=eu-west-1\n", "cfn_node_type=HeadNode\ncfn_region=$(x)\n",
             "cfn_node_type=ComputeFleet\ncfn_region=eu-west-1\n"],
)  # fmt: skip
def test_who_does_not_know_which_node_it_is_says_what_it_read(tmp_path: Path, text: str):
    places = Places(str(tmp_path))
    places.cfnconfig.parent.mkdir(parents=True)
    places.cfnconfig.write_text(text)
    with pytest.raises(NodeError, match="cfnconfig does not say which node this is"):
        membership(places)


@pytest.mark.integration
@pytest.mark.parametrize("queue", HOSTILE)
def test_a_hostile_queue_name_is_looked_up_and_never_run(machine: Machine, queue: str):
    machine.be("ComputeFleet", f"'{queue}'" if "'" not in queue else f'"{queue}"')
    ran = machine.bootstrap()
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert "plan.json of the release" in line
    assert "it says nothing about" in line
    assert machine.uploaded_record()["queue"] == queue
    assert not list(machine.root.glob("**/x"))


@pytest.mark.integration
def test_even_a_plan_that_knows_such_a_queue_cannot_break_out_of_node_env(machine: Machine):
    queue = "';touch x;'"
    machine.be("ComputeFleet", f'"{queue}"')
    machine.plan(machine.step(10, "one", ""), entry=f"queue/{queue}")
    ran = machine.bootstrap()
    assert ran.returncode == 1
    assert "TRAINYARD_QUEUE is \"';touch x;'\", and no setting may hold a quote or a line break" in ran.stderr
    assert not (machine.root / "etc/trainyard/node.env").exists()


@pytest.mark.integration
def test_a_damaged_plan_fails_the_node_and_says_so_in_the_bucket(machine: Machine):
    (machine.release / "plan.json").write_text('{"schema": 1, "clus')
    ran = machine.bootstrap()
    assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
    assert "publish the release again" in machine.uploaded_record()["message"]
    machine.plan(machine.step(10, "one", ""))
    assert machine.bootstrap().returncode == 0
    assert states(machine.record()) == {"one": "done"}


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_metadata_service_that_never_answers_is_asked_five_times(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    clock = FakeClock()
    with pytest.raises(NodeError, match=r"the instance metadata service does not answer in 5 attempts .*refused"):
        this_instance(clock)
    assert clock.pauses == [1, 2, 4, 8]


@pytest.mark.integration
def test_the_metadata_service_is_asked_past_every_proxy(machine: Machine):
    proxy = {"http_proxy": "http://127.0.0.1:9"}
    ran = subprocess.run(
        machine.command("bootstrap", "--release", str(machine.release), "--folder", CLUSTER_FOLDER),
        env={**machine.environment(), **proxy}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
