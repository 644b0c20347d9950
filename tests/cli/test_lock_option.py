"""A lock that lies elsewhere than beside the spec."""

from __future__ import annotations

import json

import pytest

from tests.examples import example_spec
from trainyard.bundle.asset_lock import lock_text
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.spec.parsing import parse

SPEC = example_spec("software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: p5.48xlarge}]\n")
COMMANDS = [("render",), ("image",), ("plan",), ("plan", "--simulate", "10"), ("deploy", "--yes")]


@pytest.fixture(autouse=True)
def spec(tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    (tmp_path / "locks").mkdir()
    lock = stand_in_lock(parse(SPEC, "cluster.yaml").spec)
    (tmp_path / "locks/mine.json").write_text(lock_text(lock))


def test_a_bundle_holds_the_lock_that_was_named(trainyard, tmp_path):
    assert json.loads(trainyard("render", "cluster.yaml", "--json").out)["not_locked"]
    printed = json.loads(trainyard("render", "cluster.yaml", "--lock", "locks/mine.json", "--json").out)
    assert printed["not_locked"] == []


def test_a_simulation_takes_the_sizes_of_the_lock_that_was_named(trainyard, tmp_path):
    simulated = ("plan", "cluster.yaml", "--simulate", "1000", "--json")
    without = json.loads(trainyard(*simulated).out)["simulation"]
    named = json.loads(trainyard(*simulated, "--lock", "locks/mine.json").out)["simulation"]
    assert named["queues"][0]["official"]["last_s"] < without["queues"][0]["official"]["last_s"]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no lock other.json; `trainyard assets lock cluster.yaml -o other.json` makes it"),
        ("{", "other.json: error: the lock of the assets cannot be used: it is not JSON"),
    ],
    ids=["missing", "damaged"],
)
def test_a_lock_that_was_named_and_is_no_lock_is_one_clear_line(trainyard, tmp_path, command, content, words):
    if content is not None:
        (tmp_path / "other.json").write_text(content)
    name, *options = command
    ran = trainyard(name, "cluster.yaml", *options, "--lock", "other.json")
    assert ran.status == 2
    assert words in ran.err
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_empty_name_of_a_lock_is_one_clear_line(trainyard, command):
    name, *options = command
    ran = trainyard(name, "cluster.yaml", *options, "--lock", "")
    assert ran.status == 2
    assert ran.err.splitlines() == ["--lock: error: the name of the lock is empty, or that of a folder; name a file"]


def test_a_command_that_makes_a_lock_is_one_that_a_shell_takes(trainyard, tmp_path):
    (tmp_path / "my spec.yaml").write_text(SPEC)
    ran = trainyard("render", "my spec.yaml", "--lock", "$(reboot).json")
    assert "`trainyard assets lock 'my spec.yaml' -o '$(reboot).json'` makes it" in ran.err


@pytest.mark.parametrize("command", ["render", "image"])
def test_what_is_not_locked_is_to_be_locked_where_the_lock_was_named(trainyard, tmp_path, command):
    (tmp_path / "locks/empty.json").write_text('{"schema": 1, "assets": []}')
    ran = trainyard(command, "cluster.yaml", "--lock", "locks/empty.json")
    assert ran.status == 0
    assert "run `trainyard assets lock cluster.yaml -o locks/empty.json`, and " in ran.err
    assert "run `trainyard assets lock` with the spec, and " in trainyard(command, "cluster.yaml", "--force").err
