"""`bootstrap-status`: a table for people, the record for programs, and an exit status for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.node.machine import Machine
from trainyard_node.bootstrap_status import bootstrap_status
from trainyard_node.places import Places

RECORD = {
    "schema": 1, "cluster": "llm", "instance_id": "i-00000000", "instance_type": "p5.48xlarge", "role": "compute-gpu",
    "queue": "train", "hostname": "x", "release": None, "status": "ready", "message": "", "started": "", "seconds": 75,
    "steps": [
        {"name": "efa", "status": "done", "required": True, "seconds": 62.4, "attempts": 2, "message": ""},
        {"name": "nccl", "status": "failed", "required": False, "seconds": 1, "attempts": 1, "message": "no NCCL"},
    ],
}  # fmt: skip


def write(root: Path, **values: object) -> Places:
    places = Places(str(root))
    places.record.parent.mkdir(parents=True, exist_ok=True)
    places.record.write_text(json.dumps({**RECORD, **values}))
    return places


def test_people_get_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert bootstrap_status(write(tmp_path), as_json=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ready after 75 s: compute-gpu, queue train, p5.48xlarge, i-00000000",
        "STEP             STATUS  TIME    ATTEMPTS  MESSAGE",
        "efa              done    62.4 s  2",
        "nccl (optional)  failed  1 s     1         no NCCL",
    ]


def test_programs_get_the_record_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bootstrap_status(write(tmp_path), as_json=True)
    assert json.loads(capsys.readouterr().out) == RECORD


@pytest.mark.parametrize(("status", "exit_status"), [("ready", 0), ("failed", 1), ("held", 1), ("deferred", 3)])
def test_the_exit_status_says_how_the_node_is(tmp_path: Path, status: str, exit_status: int):
    assert bootstrap_status(write(tmp_path, status=status), as_json=False) == exit_status


def test_a_bootstrap_that_was_killed_is_not_called_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert bootstrap_status(write(tmp_path, status="running"), as_json=False) == 1
    assert "interrupted after 75 s" in capsys.readouterr().out


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"schema": 2}'])
def test_without_a_record_that_can_be_read_the_status_is_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
):
    places = write(tmp_path)
    places.record.unlink() if text is None else places.record.write_text(text)
    assert bootstrap_status(places, as_json=False) == 2
    assert "nothing was set up on this node" in capsys.readouterr().out
    assert bootstrap_status(places, as_json=True) == 2
    assert capsys.readouterr().out == "null\n"


@pytest.mark.integration
def test_the_command_prints_it_after_a_real_bootstrap(machine: Machine):
    machine.plan(machine.step(10, "one", ""))
    machine.bootstrap()
    ran = machine.run("bootstrap-status", "--json")
    assert (ran.returncode, json.loads(ran.stdout)) == (0, machine.record())
