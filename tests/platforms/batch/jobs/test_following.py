"""Following a job: its states, the log of its main node through all attempts, and what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.platforms.batch.jobs.scripted_batch import ScriptedBatch, Step, scripted_cluster
from trainyard.api.batch_submit import cancel_batch_job, exit_status, follow_batch_job, job_of_cluster, outcome_words
from trainyard.errors import InputError, TrainyardError

ID = "0000000a-1111-2222-3333-444444444444"


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_cluster() as made:
        made.names.append((ID, "lab-nccl", 1))
        yield made


def followed(batch: ScriptedBatch, *steps: Step, **more: Any) -> tuple[Any, list[str], list[str]]:
    """Return the job at its end, the lines of its log, and what was told."""
    batch.steps, batch.looks = list(steps), 0
    shown: list[str] = []
    told: list[str] = []
    assert batch.account is not None
    ended = follow_batch_job("lab", batch.account, ID, show=shown.append, tell=told.append, **more)
    return ended, shown, told


def test_states_and_reasons_are_told_and_the_log_is_shown_once(batch: ScriptedBatch):
    ended, shown, told = followed(
        batch,
        Step("SUBMITTED"),
        Step("RUNNABLE"),
        Step("RUNNABLE", "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"),
        Step("STARTING"),
        Step("RUNNING", says=("one", "two")),
        Step("RUNNING"),
        Step("RUNNING", says=("three",)),
        Step("SUCCEEDED", exit_code=0, says=("four",)),
    )
    assert told == ["SUBMITTED", "RUNNABLE", "RUNNABLE: CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "STARTING", "RUNNING",
                    "SUCCEEDED"]  # fmt: skip
    assert shown == ["one", "two", "three", "four"]
    assert (exit_status(ended), outcome_words(ended)) == (0, f"job {ID} has succeeded")


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (Step("FAILED", "Essential container in task exited", 3), 3, 'with exit code 3: "Essential container in task'),
        (Step("FAILED", "Host EC2 (instance i-0) terminated."), 1, 'has failed: "Host EC2 (instance i-0) terminated."'),
        (
            Step("FAILED", "x", 137, "OutOfMemoryError: Container killed"),
            137,
            'x; "OutOfMemoryError: Container killed"',
        ),
        (Step("FAILED", "x", 0), 1, "with exit code 0: x"),
        (Step("FAILED", "x", 4000), 1, "with exit code 4000: x"),
        (
            Step("FAILED", container_reason="CannotPullContainerError: no"),
            1,
            'has failed: "CannotPullContainerError: no"',
        ),
    ],
)
def test_a_failed_job_has_the_status_of_its_container(batch: ScriptedBatch, step: Step, status: int, words: str):
    ended, _, _ = followed(batch, step)
    assert exit_status(ended) == status
    assert words in outcome_words(ended)


def test_what_a_container_says_last_is_waited_for(batch: ScriptedBatch):
    assert batch.account is not None
    clock, late = batch.account.clock, Step("SUCCEEDED", exit_code=0, says=("late",))
    sleep = clock.sleep

    def sleeping(seconds: float) -> None:
        sleep(seconds)
        if batch.looks == 2 and late.says:
            batch._say(late)
            late.says = ()

    clock.sleep = sleeping  # type: ignore[method-assign]  # a clock of the test
    _, shown, _ = followed(batch, Step("RUNNING", says=("early",)), Step("SUCCEEDED", exit_code=0))
    assert shown == ["early", "late"]


def test_a_job_that_ended_long_ago_is_shown_without_waiting(batch: ScriptedBatch):
    assert batch.account is not None
    begin = batch.account.clock.now()
    lines = tuple(f"line {number}" for number in range(30))
    _, shown, _ = followed(batch, Step("SUCCEEDED", exit_code=0, says=lines, stopped_ms=1))
    assert (shown, batch.account.clock.now() - begin) == (list(lines), 0)


def test_each_attempt_has_a_log_of_its_own(batch: ScriptedBatch):
    first = {"container": {"exitCode": 1, "logStreamName": "nccl/default/1"}}
    _, shown, told = followed(
        batch,
        Step("RUNNING", says=("first",)),
        Step("RUNNABLE", former=(first,)),
        Step("RUNNING", says=("second",), stream="nccl/default/2", former=(first,)),
        Step("SUCCEEDED", exit_code=0, stream="nccl/default/2", former=(first,)),
    )
    assert shown == ["first", "second"]
    assert told[1] == "attempt 2 of 2: RUNNABLE"


def test_a_job_that_stays_runnable_is_explained_once(batch: ScriptedBatch):
    _, _, told = followed(batch, *[Step("RUNNABLE")] * 60, Step("RUNNING"), Step("SUCCEEDED", exit_code=0))
    hints = [line for line in told if "diagnose" in line]
    assert len(hints) == 1
    assert hints[0].startswith("RUNNABLE for 10 min: `trainyard diagnose lab --region us-east-2` says why")


def test_a_job_that_waiting_does_not_help_is_explained_at_once(batch: ScriptedBatch):
    reason = "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE - CE(s) cannot meet the CPU requirement of the job."
    waiting = [Step("RUNNABLE"), *[Step("RUNNABLE", reason=reason)] * 3]
    _, _, told = followed(batch, *waiting, Step("FAILED", reason="ended"))
    assert told[:3] == [
        "RUNNABLE",
        f'RUNNABLE: "{reason}"',
        "RUNNABLE, and waiting will not help: `trainyard diagnose lab --region us-east-2` says why it does not start",
    ]
    assert len([line for line in told if "diagnose" in line]) == 1


def test_a_job_that_does_not_move_is_asked_for_less_often(batch: ScriptedBatch):
    assert batch.account is not None
    begin = batch.account.clock.now()
    followed(batch, *[Step("RUNNABLE")] * 30, Step("SUCCEEDED", exit_code=0))
    assert (batch.account.clock.now() - begin) / 30 > 10


def test_what_passes_is_waited_out(batch: ScriptedBatch):
    ended, _, told = followed(batch, *[Step("", fails="ServerException")] * 3, Step("SUCCEEDED", exit_code=0))
    assert ended.status == "SUCCEEDED"
    assert [line.endswith("trying again") for line in told] == [True, True, True, False]


def test_what_does_not_pass_ends_it_at_once(batch: ScriptedBatch):
    with pytest.raises(TrainyardError, match="not allowed: batch:DescribeJobs"):
        followed(batch, Step("", fails="AccessDeniedException"))
    assert batch.looks == 1


def test_aws_that_stays_away_ends_it(batch: ScriptedBatch):
    with pytest.raises(TrainyardError, match="said by the stand-in"):
        followed(batch, Step("", fails="ServerException"))
    assert batch.looks < 20


def test_a_time_that_is_over_says_how_to_go_on(batch: ScriptedBatch):
    with pytest.raises(TrainyardError, match=f"job {ID} has not ended after 5 min") as told:
        followed(batch, Step("RUNNING"), within_s=300)
    assert f"`trainyard batch submit lab --region us-east-2 --follow {ID}` follows it" in str(told.value.hint)
    assert f"--cancel {ID}` ends it" in str(told.value.hint)


def test_a_job_that_nobody_knows_is_told(batch: ScriptedBatch):
    assert batch.account is not None
    with pytest.raises(TrainyardError, match="AWS Batch knows no job nope in us-east-2"):
        follow_batch_job("lab", batch.account, "nope")


@pytest.mark.parametrize("id_", ["nope", "", f"{ID}#0"])
def test_only_jobs_that_batch_knows_are_the_cluster_s(batch: ScriptedBatch, id_: str):
    assert batch.account is not None
    with pytest.raises(InputError, match="AWS Batch knows no job"):
        job_of_cluster("lab", batch.account, id_)


def test_a_job_of_another_cluster_is_neither_followed_nor_ended(batch: ScriptedBatch):
    assert batch.account is not None
    batch.queue = "production-training"
    with pytest.raises(InputError, match="is in the queue production-training, which is not one of lab"):
        cancel_batch_job("lab", batch.account, ID)
    assert batch.terminated == []


def test_a_job_is_ended_and_one_that_has_ended_is_left_alone(batch: ScriptedBatch):
    assert batch.account is not None
    batch.steps = [Step("RUNNING"), Step("SUCCEEDED", exit_code=0)]
    assert cancel_batch_job("lab", batch.account, ID).status == "RUNNING"
    assert cancel_batch_job("lab", batch.account, ID).status == "SUCCEEDED"
    assert [one["jobId"] for one in batch.terminated] == [ID]
