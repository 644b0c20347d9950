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


# What leads botocore to credentials, in the order in which it looks for them:
# https://docs.aws.amazon.com/boto3/latest/guide/credentials.html
WAYS_TO_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)  # fmt: skip


@pytest.fixture
def config(monkeypatch, tmp_path):
    """The file that alone could lead to credentials."""
    for name in WAYS_TO_CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    return tmp_path / "config"


@pytest.mark.usefixtures("config")
def test_without_credentials_it_says_that_no_account_was_asked(trainyard, spec):
    said = (
        "no account is asked, as no AWS credentials are configured here (those of an EC2 instance are used with "
        "--account): what exists already is not in this plan"
    )
    ran = trainyard("plan", spec)
    assert (ran.status, ran.err.splitlines()[0]) == (0, said)
    assert said not in trainyard("plan", spec, "--no-account").err


@pytest.mark.filterwarnings("ignore::getpass.GetPassWarning")  # where there is no terminal
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("credential_process = /nowhere/helper", "No such file or directory"),
        ("credential_process = echo keys", "Expecting value"),
        ("role_arn = arn:aws:iam::123456789012:role/a\nsource_profile = b\nmfa_serial = arn:aws:iam::1:mfa/c", "EOF"),
    ],
    ids=["no-such-program", "no-json", "no-terminal-for-mfa"],
)
def test_credentials_that_cannot_be_used_are_told_and_the_plan_goes_on(trainyard, spec, config, settings, why):
    keys = "[profile b]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = secret\n"
    config.write_text(f"[default]\n{settings}\n{keys}")
    ran = trainyard("plan", spec)
    assert ran.status == 0
    begin = "no account is asked, so that what exists already is not in this plan: the AWS credentials cannot be used: "
    (told,) = (line.partition(begin)[2] for line in ran.err.splitlines() if begin in line)
    assert why in told


def test_drift_without_an_account_is_refused(trainyard, spec):
    ran = trainyard("plan", spec, "--no-account", "--drift")
    assert ran.status == 2
    assert "--no-account" in ran.err
