"""deploy, status and destroy on the command line, against an emulated account: what people see, and what goes wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_account import run, started
from tests.rehearsal.account_copies import seeded_account
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import lift_protection

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

# Nothing but a network and a file system: ParallelCluster itself is for other tests.
ENVIRONMENT = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a}
file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]
"""
CLUSTER = """\
name: llm
region: us-east-2
platform: parallelcluster
environment: shared
network: {availability_zone: us-east-2a}
login_nodes: {count: 1, instance_type: m5.large, subnet: private}
queues: [{name: q, instance_type: m5.large, nodes: {min: 2, max: 4}}]
file_systems: [{mount: /fsx, lustre: {id: environment}}]
software: {setup: cpu}
"""
SHARED = "file_systems: [{mount: /fsx, lustre: {id: environment}}]"
ALONE = CLUSTER.replace("environment: shared\n", "").replace(f"{SHARED}\n", "")


@pytest.fixture
def account() -> Iterator[Account]:
    with seeded_account(CLUSTER) as started:
        yield started


def written(folder: Path, text: str) -> Path:
    file = folder / "spec.yaml"
    file.write_text(text)
    return file


def stack_names(account: Account) -> set[str]:
    return {stack["StackName"] for stack in account.client("cloudformation").describe_stacks()["Stacks"]}


@pytest.mark.exhaustive
def test_an_update_is_what_the_plan_has_said(account: Account, tmp_path: Path):
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(ALONE)
    assert run(account, "deploy", cluster, "--yes")[0] == 0
    cluster.write_text(f"{ALONE}head_node: {{instance_type: m5.xlarge}}\n")
    status, _, err = run(account, "deploy", cluster, "--yes")
    assert status == 1
    assert "head_node.instance_type: Update actions are not currently supported" in err
    assert "nothing was touched" in err
    cluster.write_text(f"{ALONE}parallelcluster: {{slurm: {{kill_wait_s: 61}}}}\n")
    status, out, _ = run(account, "plan", cluster, "--account", "--json")
    assert status == 0
    update = json.loads(out)["cluster"]
    assert update["needs"] == "live"
    assert [change["path"] for change in update["changes"]] == ["parallelcluster.slurm.settings"]
    status, out, _ = run(account, "deploy", cluster, "--yes", "--json")
    assert status == 0
    assert json.loads(out)["cluster"] == update
    assert json.loads(run(account, "plan", cluster, "--account", "--json")[1])["cluster"] is None


def test_an_environment_and_a_cluster_in_it_are_deployed_looked_at_and_destroyed(account: Account, tmp_path: Path):
    environment, cluster = written(tmp_path, ENVIRONMENT), tmp_path / "cluster.yaml"
    cluster.write_text(CLUSTER)
    assert run(account, "deploy", environment, "--yes")[0] == 0
    assert stack_names(account) == {"shared-network", "shared-storage"}

    status, out, _ = run(account, "deploy", cluster, "--yes", "--json")
    assert status == 0
    assert {step["status"] for step in json.loads(out)["steps"]} <= {"done", "unchanged"}
    status, out, _ = run(account, "deploy", cluster, "--yes", "--json")
    assert {step["status"] for step in json.loads(out)["steps"]} == {"unchanged"}

    environment.write_text(ENVIRONMENT.replace("us-east-2a", "us-east-2b"))
    status, _, err = run(account, "deploy", environment, "--yes")
    assert status == 1
    assert "replaced by a new one: PublicSubnet of stack shared-network" in err
    assert "nothing was touched" in err

    status, out, _ = run(account, "status", "llm", "--region", "us-east-2", "--json")
    found = json.loads(out)
    assert (status, found["up"], found["stage"]) == (0, True, "deployed")
    assert [node["role"] for node in found["nodes"]] == ["HeadNode", "Compute", "Compute", "LoginNode"]
    status, out, _ = run(account, "nodes", "check", "llm", "--region", "us-east-2", "--json")
    found = json.loads(out)
    assert [(node["role"], node["group"], node["compute_resource"]) for node in found["nodes"]] == [
        ("head", None, None),
        ("compute", "q", "m5-large"),
        ("compute", "q", "m5-large"),
        ("login", "login", None),
    ]
    assert {finding["id"] for finding in found["findings"]} == {"node-never-reported"}

    status, _, err = run(account, "destroy", "shared", "--region", "us-east-2", "--yes")
    assert status == 1
    assert "environment shared is used by llm; destroy them first" in err
    assert run(account, "destroy", "llm", "--region", "us-east-2", "--yes", "--delete-data")[0] == 0
    assert stack_names(account) == {"shared-network", "shared-storage"}

    status, out, _ = run(account, "destroy", "shared", "--region", "us-east-2", "--yes")
    assert status == 0
    assert "kept: FSx for Lustre file system of 1,200 GiB fs-" in out
    assert stack_names(account) == {"shared-network"}
    assert run(account, "destroy", "shared", "--region", "us-east-2", "--yes", "--delete-data")[0] == 0
    assert stack_names(account) == set()

    status, _, err = run(account, "status", "llm", "--region", "us-east-2")
    assert status == 1
    assert "there is no cluster llm in us-east-2" in err


def test_who_wants_to_build_images_first_stops_before_the_cluster_and_is_told_how_to_go_on(
    account: Account, tmp_path: Path
):
    spec = written(tmp_path, ALONE)
    status, out, _ = run(account, "deploy", spec, "--yes", "--before-cluster", "--json")
    image, deploy = json.loads(out)["next"]
    assert (status, deploy) == (0, f"trainyard deploy {spec}")
    assert "llm" not in stack_names(account)
    status, out, _ = run(account, *shlex.split(image)[1:], "-o", tmp_path / "images", "--json")
    assert (status, json.loads(out)["stand_ins"]) == (0, [])
    out = run(account, "status", "llm", "--region", "us-east-2", "--json")[1]
    assert json.loads(out)["stage"] == "prepared"
    out = run(account, "deploy", spec, "--yes", "--before-cluster")[1]
    assert "the cluster itself is not made yet" in out
    assert f"This goes on: {deploy}" in out


def test_a_plan_is_refused_by_what_refuses_a_deployment(account: Account, tmp_path: Path):
    linked = ENVIRONMENT.replace("_tib: 125}", "_tib: 125, data_repository: s3://nobodys-bucket/train}")
    spec = written(tmp_path, linked)
    status, _, refused = run(account, "deploy", spec, "--yes")
    assert status == 1
    (line,) = [line for line in refused.splitlines() if "data-repository-not-usable" in line]
    status, out, err = run(account, "plan", spec, "--account")
    assert (status, line in err, "Steps" in out) == (1, True, True)
    status, out, _ = run(account, "plan", spec, "--account", "--json")
    assert (status, [finding["id"] for finding in json.loads(out)["findings"]]) == (1, ["data-repository-not-usable"])


def test_an_environment_has_no_cluster_to_stop_before(account: Account, tmp_path: Path):
    status, _, err = run(account, "deploy", written(tmp_path, ENVIRONMENT), "--yes", "--before-cluster")
    assert (status, stack_names(account)) == (2, set())
    assert "shared is an environment and has no cluster" in err


def test_without_anybody_to_say_yes_nothing_is_made(account: Account, tmp_path: Path):
    status, _, err = run(account, "deploy", written(tmp_path, ENVIRONMENT))
    assert (status, stack_names(account)) == (2, set())
    assert "nobody is there to say yes; add --yes" in err
    assert run(account, "destroy", "shared", "--region", "us-east-2")[0] == 2


def test_without_credentials_nothing_is_made(account: Account, tmp_path: Path):
    nobody = {
        "AWS_ACCESS_KEY_ID": None,
        "AWS_SECRET_ACCESS_KEY": None,
        "AWS_PROFILE": None,
        "AWS_CONFIG_FILE": os.devnull,
    }
    status, _, err = run(account, "deploy", written(tmp_path, ENVIRONMENT), "--yes", **nobody)
    assert status == 1
    assert "no AWS credentials" in err
    assert "aws configure" in err
    assert "Traceback" not in err


def test_a_profile_that_does_not_exist_is_named(account: Account, tmp_path: Path):
    status, _, err = run(account, "deploy", written(tmp_path, ENVIRONMENT), "--yes", "--profile", "nobody")
    assert status == 1
    assert "nobody" in err
    assert "aws configure list-profiles" in err


def test_an_account_that_does_not_answer_is_an_error_that_says_so(account: Account, tmp_path: Path):
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    status, _, err = run(account, "destroy", "shared", "--region", "us-east-2", "--yes", **nowhere)
    assert status == 1
    assert "AWS does not answer" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("options", [(), ("--delete-data",), ("--json",)], ids=" ".join)
def test_a_name_that_nothing_has_is_an_error(account: Account, options: tuple[str, ...]):
    status, out, err = run(account, "destroy", "llm-p6", "--region", "us-east-2", "--yes", *options)
    assert status == 1
    assert "there is nothing called llm-p6 in us-east-2" in out + err


def test_a_name_that_nothing_has_is_an_error_where_another_cluster_has_the_bucket(account: Account):
    bucket = s3.own_bucket(account)
    s3.make_bucket(account, bucket)
    s3.put(account, bucket, "trainyard/llm/release", b"1")
    status, out, err = run(account, "destroy", "llm-p6", "--region", "us-east-2", "--yes")
    assert status == 1
    assert "there is nothing called llm-p6 in us-east-2" in out + err
    assert "objects deleted" not in out
    assert list(s3.sizes_below(account, bucket, "trainyard/")) == ["trainyard/llm/release"]


def test_stacks_of_somebody_else_are_touched_by_nothing(account: Account, tmp_path: Path):
    template = '{"Resources": {"Topic": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}}}'
    account.client("cloudformation").create_stack(StackName="shared-network", TemplateBody=template)
    status, _, err = run(account, "deploy", written(tmp_path, ENVIRONMENT), "--yes")
    assert status == 1
    assert "has a stack shared-network already" in err
    assert "[name-taken]" in err
    status, _, err = run(account, "destroy", "shared", "--region", "us-east-2", "--yes")
    assert status == 1
    assert "stack shared-network was not made for shared: it has no tag" in err
    assert stack_names(account) == {"shared-network"}


def test_a_lock_that_somebody_else_holds_stops_both(account: Account, tmp_path: Path):
    bucket = s3.own_bucket(account)
    s3.make_bucket(account, bucket)
    holder = {"what": "deploy", "user": "ada", "host": "other", "process": 1, "until": "2100-01-01T00:00:00+00:00"}
    s3.put(account, bucket, "trainyard/shared/lock", json.dumps(holder).encode())
    for arguments in (("deploy", written(tmp_path, ENVIRONMENT)), ("destroy", "shared", "--region", "us-east-2")):
        status, _, err = run(account, *arguments, "--yes")
        assert status == 1
        assert "shared is locked: ada on other runs deploy" in err
        assert "the lock ends at 2100-01-01T00:00:00+00:00" in err
    assert stack_names(account) == set()


def test_a_stack_whose_deletion_failed_is_told_and_can_be_finished(account: Account, tmp_path: Path):
    spec = written(tmp_path, ENVIRONMENT)
    assert run(account, "deploy", spec, "--yes")[0] == 0
    lift_protection(account, "shared-network")
    account.client("cloudformation").delete_stack(StackName="shared-network")
    assert _settled(account, "shared-network") == "DELETE_FAILED"
    status, _, err = run(account, "deploy", spec, "--yes")
    assert status == 1
    assert "stack shared-network is DELETE_FAILED" in err
    assert "`trainyard destroy shared` finishes its deletion" in err
    assert run(account, "destroy", "shared", "--region", "us-east-2", "--yes", "--delete-data")[0] == 0
    assert stack_names(account) == set()


def _settled(account: Account, name: str) -> str:
    for _ in range(50):
        state: str = account.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
        if not state.endswith("_IN_PROGRESS"):
            return state
    return state


def test_who_is_interrupted_twice_says_how_to_go_on_and_leaves_no_lock(account: Account, tmp_path: Path):
    spec = written(tmp_path, ENVIRONMENT)
    process = started(account, "deploy", spec, "--yes")
    for line in process.stderr:
        if "network" in line:
            break
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    with suppress(ProcessLookupError):  # it may have ended by then
        process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "run the same command again to go on" in err
    assert "Traceback" not in err
    status, out, _ = run(account, "deploy", spec, "--yes", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)


@pytest.mark.parametrize("text", ["", "name: [", "kind: environment\nname: a\n"])
def test_what_is_no_spec_is_not_deployed(account: Account, tmp_path: Path, text: str):
    status, _, err = run(account, "deploy", written(tmp_path, text), "--yes")
    assert (status, stack_names(account)) == (2, set())
    assert "spec.yaml" in err


def test_a_spec_that_is_not_finished_is_not_deployed(account: Account, tmp_path: Path):
    text = ENVIRONMENT.replace("125}", "125, data_repository: s3://replace-me}")
    status, _, err = run(account, "deploy", written(tmp_path, text), "--yes")
    assert (status, stack_names(account)) == (1, set())
    assert "the spec is not finished: s3://replace-me is a stand-in" in err


def test_a_missing_key_pair_is_made_where_that_is_asked_for(account: Account, tmp_path: Path):
    run_of: Any = account.client("ec2").describe_key_pairs
    account.client("ec2").delete_key_pair(KeyName="mine")
    text = "name: llm\nregion: us-east-2\nplatform: parallelcluster\nnetwork: {availability_zone: us-east-2a}\n"
    text += "access: {ssh_key: mine}\nqueues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 1}}]\n"
    spec = written(tmp_path, text)
    status, _, err = run(account, "deploy", spec, "--yes")
    assert status == 1
    assert "[key-pair-not-usable]" in err
    key = tmp_path / "mine.pem"
    assert run(account, "deploy", spec, "--yes", "--create-key-pair", key, "--before-cluster")[0] == 0
    assert key.stat().st_mode & 0o777 == 0o600
    assert [key_pair["KeyName"] for key_pair in run_of()["KeyPairs"]] == ["mine"]
