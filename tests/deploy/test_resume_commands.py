"""How somebody goes on who has stopped before the cluster: the commands, as a shell takes them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.specs import spec_of
from trainyard.deploy.record import Stage
from trainyard.deploy.resume_commands import commands_after
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account

BAKED = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]\nsoftware: {setup: gpu}\n"


def stopped(account: Account, options: Options | None = None) -> Work:
    outputs = {"AssetsBucket": "mine"}
    return Work(account, "llm", spec_of(BAKED), "mine", options=options or Options(), outputs=outputs)


def test_what_was_said_of_account_lock_and_cluster_is_said_again(account: Account):
    options = Options(rollback_on_failure=True, recreate=True, create_key_pair=Path("key.pem"), before_cluster=True)
    image, deploy = commands_after(stopped(account, options), "prepared", "a.yaml", Path("a.lock.json"), profile="team")
    assert deploy == ("trainyard deploy a.yaml --lock a.lock.json --profile team --rollback-on-failure --recreate")
    assert image == "trainyard image a.yaml --lock a.lock.json --stack-output AssetsBucket=mine"


def test_what_was_not_said_is_left_out(account: Account):
    assert commands_after(stopped(account), "prepared", "a.yaml")[-1] == "trainyard deploy a.yaml"


@pytest.mark.parametrize("name", ["a b.yaml", "$(reboot).yaml", "it's.yaml", "a;b.yaml"])
def test_a_hostile_name_stays_one_word(account: Account, name: str):
    for command in commands_after(stopped(account), "prepared", name, Path(f"{name}.lock"), profile=name):
        words = shlex.split(command)
        assert words[2] == name
        assert f"{name}.lock" in words


def test_a_name_that_looks_like_an_option_is_none(account: Account):
    _, deploy = commands_after(stopped(account), "prepared", "-x.yaml", Path("-l.json"))
    assert deploy == "trainyard deploy ./-x.yaml --lock ./-l.json"


def test_a_spec_from_standard_input_is_not_read_a_second_time(account: Account):
    image, deploy = commands_after(stopped(account), "prepared", "-")
    assert deploy == "trainyard deploy SPEC"
    assert image == "trainyard image SPEC --stack-output AssetsBucket=mine"


@pytest.mark.parametrize(
    ("platform", "uses"),
    [
        ("parallelcluster", ["trainyard connect a.yaml"]),
        ("eks", ["trainyard connect a.yaml --kubeconfig"]),
        ("batch", []),
    ],
)
def test_a_cluster_that_is_there_is_used_and_looked_at(account: Account, platform: str, uses: list[str]):
    work = Work(account, "llm", spec_of(f"platform: {platform}\n{BAKED}"), "mine")
    assert commands_after(work, "deployed", "a.yaml") == (*uses, "trainyard status a.yaml")


@pytest.mark.parametrize("stage", ["deploying", None])
def test_a_deployment_that_failed_is_looked_at(account: Account, stage: Stage | None):
    after = commands_after(stopped(account), stage, "-", profile="team")
    assert after == ("trainyard status SPEC --profile team",)
