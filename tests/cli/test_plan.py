"""``trainyard plan`` on the time that nodes take."""

from __future__ import annotations

import json
import os

import pytest

from tests.examples import example_spec

SPEC = example_spec(
    "software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: g5.12xlarge, nodes: 4}]\n"
)


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    return "cluster.yaml"


def test_the_time_of_each_kind_of_nodes_is_shown(trainyard, spec):
    lines = [" ".join(line.split()) for line in trainyard("plan", spec).out.splitlines()]
    assert any(line.startswith("queue/q 5 to 12 2 to 9 2 to 4 35 (timeouts.compute_node_s)") for line in lines), lines
    assert not any("simulated" in line for line in lines)


def test_programs_read_budget_and_simulation(trainyard, spec):
    printed = json.loads(trainyard("plan", spec, "--simulate", "100", "--seed", "7", "--json").out)
    assert {node["node"] for node in printed["bootstrap"]["nodes"]} == {"head", "queue/q"}
    assert printed["simulation"]["assumptions"]["seed"] == 7
    (queue,) = printed["simulation"]["queues"]
    assert (queue["nodes"], queue["official"]["not_in_time"]) == (100, 0)
    assert queue["baked"]["last_s"] < queue["official"]["last_s"]
    assert json.loads(trainyard("plan", spec, "--json").out)["simulation"] is None


def test_the_lock_beside_the_spec_says_how_much_nodes_fetch(trainyard, spec, tmp_path):
    network = "\nnetwork: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
    (tmp_path / spec).write_text(SPEC.replace("network:", "# ") + network)
    asset = {
        "name": "docker", "version": "1", "os": None, "arch": "x86_64", "file": "d.tgz", "url": "https://example.com/d",
        "size_bytes": 1, "sha256": "0" * 64, "verified_by": None,
    }  # fmt: skip
    before = json.loads(trainyard("plan", spec, "--simulate", "2000", "--json").out)["simulation"]["queues"][0]
    (tmp_path / "assets.lock.json").write_text(json.dumps({"schema": 1, "assets": [asset]}))
    after = json.loads(trainyard("plan", spec, "--simulate", "2000", "--json").out)["simulation"]["queues"][0]
    assert after["official"]["last_s"] < before["official"]["last_s"]


@pytest.mark.parametrize("nodes", ["0", "-1", "100001", "many"])
def test_a_number_of_nodes_that_makes_no_sense_is_refused(trainyard, spec, nodes):
    ran = trainyard("plan", spec, "--simulate", nodes)
    assert ran.status == 2
    assert "--simulate" in ran.err


def test_a_spec_from_standard_input_is_read_once(trainyard):
    same_name = "{name: q, instance_type: m5.large}"
    spec = example_spec(f"queues: [{same_name}, {same_name}]\n")
    result = trainyard("plan", "-", "--account", standard_input=spec)
    assert result.status == 1
    assert "nothing is planned: 1 error" in result.err


def test_without_credentials_it_says_that_no_account_was_asked(trainyard, spec, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    said = "no account is asked, as there are no AWS credentials: what exists already is not in this plan"
    ran = trainyard("plan", spec)
    assert (ran.status, ran.err.splitlines()[0]) == (0, said)
    assert said not in trainyard("plan", spec, "--no-account").err
