"""batch submit on the command line: what is printed where, the exit status, and what is refused."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.platforms.batch.jobs.scripted_batch import ScriptedBatch, Step, scripted_cluster

PLACE = ("--region", "us-east-2")
ID = "00000001-1111-2222-3333-444444444444"
LONG_AGO = 1


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_cluster() as made:
        yield made


def test_the_log_is_printed_and_the_rest_is_progress(trainyard, batch: ScriptedBatch):
    batch.steps = [Step("SUCCEEDED", exit_code=0, says=("one", "\x1b[31mtwo\tthree\r50%"), stopped_ms=LONG_AGO)]
    ran = trainyard("batch", "submit", "lab", "nccl", *PLACE, "--nodes", "4", "--env", "A=1")
    assert (ran.status, ran.out) == (0, "| one\n| \\x1b[31mtwo    three\n| 50%\n")
    assert ran.err == (
        f"job {ID} of lab-training-nccl:3 is submitted to lab-training, for 4 nodes\n"
        f"SUCCEEDED\njob {ID} has succeeded\n"
    )


def test_a_failed_job_gives_its_exit_code(trainyard, batch: ScriptedBatch):
    batch.steps = [Step("FAILED", "Essential container in task exited", 42, stopped_ms=LONG_AGO)]
    ran = trainyard("batch", "submit", "lab", *PLACE)
    assert (ran.status, ran.out) == (42, "")
    assert f'job {ID} has failed with exit code 42: "Essential container in task exited"\n' in ran.err


def test_as_json_the_log_goes_to_standard_error(trainyard, batch: ScriptedBatch):
    batch.steps = [Step("FAILED", "x", 3, says=("one",), stopped_ms=LONG_AGO)]
    ran = trainyard("batch", "submit", "lab", "nccl", *PLACE, "--json")
    assert (ran.status, "one\n" in ran.err) == (3, True)
    assert json.loads(ran.out) == {
        "schema": 1, "cluster": "lab", "job_id": ID, "job_name": "lab-nccl", "queue": "lab-training",
        "definition": "lab-training-nccl:3", "nodes": 2, "status": "FAILED", "reason": "x", "attempts": 1,
        "exit_code": 3, "log_group": "lab-jobs", "log_streams": ["nccl/default/1"],
    }  # fmt: skip


def test_without_following_the_id_is_printed(trainyard, batch: ScriptedBatch):
    ran = trainyard("batch", "submit", "lab", "--no-follow", *PLACE)
    assert (ran.status, ran.out, batch.looks) == (0, f"{ID}\n", 0)
    values = json.loads(trainyard("batch", "submit", "lab", "--no-follow", "--json", *PLACE).out)
    assert (values["status"], values["exit_code"], values["queue"]) == ("SUBMITTED", None, "lab-training")


def test_a_job_is_followed_later(trainyard, batch: ScriptedBatch):
    trainyard("batch", "submit", "lab", "nccl", "--no-follow", *PLACE)
    batch.steps = [Step("RUNNING"), Step("SUCCEEDED", exit_code=0, says=("all of it",), stopped_ms=LONG_AGO)]
    ran = trainyard("batch", "submit", "lab", "--follow", ID, *PLACE)
    assert (ran.status, ran.out, len(batch.submitted)) == (0, "| all of it\n", 1)


@pytest.mark.parametrize(
    ("status", "said", "terminated"),
    [("RUNNING", f"job {ID} ends; it was RUNNING\n", 1), ("FAILED", f"job {ID} has ended already: FAILED\n", 0)],
)
def test_a_job_is_cancelled(trainyard, batch: ScriptedBatch, status: str, said: str, terminated: int):
    batch.steps = [Step(status)]
    trainyard("batch", "submit", "lab", "--no-follow", *PLACE)
    assert trainyard("batch", "submit", "lab", "--cancel", ID, *PLACE).out == said
    assert len(batch.terminated) == terminated
    values = json.loads(trainyard("batch", "submit", "lab", "--cancel", ID, "--json", *PLACE).out)
    assert values["cancelled"] is (status == "RUNNING")


def test_ctrl_c_leaves_the_job_and_says_how_to_go_on(trainyard, batch: ScriptedBatch):
    def interrupted(asked: dict[str, Any]) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return {"jobs": asked["jobs"]}

    batch._DescribeJobs = interrupted  # type: ignore[method-assign]  # of the script
    ran = trainyard("batch", "submit", "lab", *PLACE)
    assert (ran.status, batch.terminated) == (130, [])
    assert (
        f"interrupted: the job goes on; `trainyard batch submit lab --region us-east-2 --follow {ID}` follows it, "
        f"`trainyard batch submit lab --region us-east-2 --cancel {ID}` ends it\n"
    ) in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing argument 'NAME|SPEC'"),
        (("lab",), "nothing says which region"),
        (("lab", *PLACE, "--nodes", "0"), "0 is not in the range x>=1"),
        (("lab", *PLACE, "--attempts", "11"), "11 is not in the range 1<=x<=10"),
        (("lab", *PLACE, "--env", "A"), "'A' is not of the form KEY=VALUE; such as NCCL_DEBUG=INFO"),
        (("lab", *PLACE, "--env", "=1"), "'' is not of the form KEY=VALUE"),
        (("lab", *PLACE, "--env", "AWS_BATCH_X=1"), "AWS Batch keeps names like AWS_BATCH_X to itself"),
        (("lab", *PLACE, "--command", "bash -c 'x"), "the command cannot be read: No closing quotation"),
        (("lab", *PLACE, "--command", " "), "the command is empty"),
        (("lab", "nccl", *PLACE, "--follow", "x"), "JOB has no meaning with --follow"),
        (("lab", *PLACE, "--env", "A=1", "--cancel", "x"), "--env has no meaning with --cancel"),
        (("lab", *PLACE, "--no-follow", "--follow", "x"), "--no-follow has no meaning with --follow"),
        (("lab", *PLACE, "--follow", "x", "--cancel", "x"), "--follow and --cancel are two different things"),
        (("lab", *PLACE, "--no-follow", "--timeout", "5"), "--timeout has no meaning where nothing is followed"),
        (("lab", *PLACE, "--follow", "x"), "AWS Batch knows no job 'x' in us-east-2"),
        (("lab", "nope", *PLACE), "there is no active job definition nope; such as"),
        (("lab", *PLACE, "--queue", "nope"), "lab has no queue 'nope'; it has training, small"),
        (("a b", *PLACE), "'a b' is no name of a cluster"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    trainyard, batch: ScriptedBatch, arguments: tuple[str, ...], said: str
):
    ran = trainyard("batch", "submit", *arguments)
    assert (ran.status, ran.out, batch.submitted) == (2, "", [])
    assert said in ran.err


def test_a_cluster_that_is_not_there_is_one_error(trainyard, batch: ScriptedBatch):
    ran = trainyard("batch", "submit", "other", *PLACE)
    assert (ran.status, ran.out, batch.asked) == (1, "", [])
    assert "error: there is no stack other-batch in us-east-2; `trainyard status other --region us-east-2`" in ran.err


def test_a_job_that_may_not_be_looked_at_is_submitted_all_the_same(trainyard, batch: ScriptedBatch):
    batch.refuses = {"DescribeJobs": "AccessDeniedException"}
    ran = trainyard("batch", "submit", "lab", *PLACE)
    assert (ran.status, len(batch.submitted)) == (1, 1)
    assert "not allowed: batch:DescribeJobs" in ran.err
    assert f"the job goes on; `trainyard batch submit lab --region us-east-2 --follow {ID}` follows it" in ran.err
