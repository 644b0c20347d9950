"""Bandwidth tests on AWS Batch: one job after the other, results from the logs, and calls that go on with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.texts import whole
from tests.platforms.batch.jobs.scripted_batch import ARN, ScriptedBatch, Step, scripted_batch
from tests.submission.deployed import remember_deployment
from trainyard.api.bench_judge import judge_files
from trainyard.api.bench_submit import (
    JobCluster,
    JobSelection,
    SubmissionResult,
    cancel_jobs,
    named_cluster,
    submit_jobs,
)
from trainyard.bench.job_selection import planned_jobs
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.bench_jobs import OnBatch
from trainyard.spec.parsing import parse
from trainyard.submission.submitted_jobs import FILE, read_submission_record

SPEC = """\
name: lab
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: 2}
"""
TWO_NODES = "training-p2-all_reduce-2n"
ONLY = JobSelection(ids=(TWO_NODES,))
TABLE = tuple(whole("[1,0]<stdout>:", log=True).decode().splitlines())
GOOD = Step("SUCCEEDED", exit_code=0, stopped_ms=1, stream="nccl/default/good")
SAYING = Step("SUCCEEDED", exit_code=0, says=TABLE, stopped_ms=1, stream="nccl/default/good")


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_batch() as made:
        made.of_jobs = {TWO_NODES: [Step("RUNNABLE", "CAPACITY:X"), Step("STARTING"), Step("RUNNING"), SAYING, GOOD]}
        yield made


def cluster(batch: ScriptedBatch) -> JobCluster:
    assert batch.account is not None
    return JobCluster(parse(SPEC, "cluster.yaml").spec, OnBatch(batch.account, ["lab-training"]))


def submitted(
    batch: ScriptedBatch, folder: Path, jobs: JobSelection = ONLY, **more: Any
) -> tuple[SubmissionResult, list[str]]:
    """Return what came of a call, and what it told."""
    assert batch.account is not None
    told: list[str] = []
    found = submit_jobs(cluster(batch), jobs, results=folder, clock=batch.account.clock, tell=told.append, **more)
    return found, told


def test_a_job_is_submitted_followed_fetched_and_judged(batch: ScriptedBatch, tmp_path: Path):
    submission_result, told = submitted(batch, tmp_path)
    (job_result,) = submission_result.jobs
    assert submission_result.good
    assert job_result.judged[0].judgement.verdict == "healthy"
    assert job_result.outcome.file == tmp_path / f"{TWO_NODES}_{job_result.outcome.number}.out"
    assert job_result.outcome.file.read_text().splitlines() == list(TABLE)
    assert [line.partition(": ")[2] for line in told[1:]] == [
        "pending (RUNNABLE: CAPACITY:X)", "configuring", "running", "completed",
    ]  # fmt: skip


def test_what_is_submitted_is_the_job_of_the_plan_under_a_name_that_is_found_again(
    batch: ScriptedBatch, tmp_path: Path
):
    submitted(batch, tmp_path)
    (made,) = batch.submitted
    memory = read_submission_record(tmp_path)
    assert memory is not None
    assert made["jobName"] == f"trainyard-bench-{memory.token}-{TWO_NODES}"
    assert (made["jobQueue"], made["jobDefinition"]) == ("lab-training", "lab-training-nccl")
    assert made["nodeOverrides"]["numNodes"] == 2
    assert "dependsOn" not in made


def test_the_results_are_read_as_those_of_slurm(batch: ScriptedBatch, tmp_path: Path):
    submitted(batch, tmp_path)
    (judged,) = judge_files((str(tmp_path),), instance_type="p5.48xlarge", nodes=2)
    assert judged.judgement.verdict == "healthy"


def test_one_job_is_submitted_after_the_other_also_where_one_fails(batch: ScriptedBatch, tmp_path: Path):
    batch.of_jobs["p1-all_reduce"] = [Step("FAILED", "Essential container in task exited", 3, stopped_ms=1, stream="")]
    batch.of_jobs["p1-alltoall"] = [Step("RUNNING", stream=""), Step("SUCCEEDED", exit_code=0, stream="")]
    submission_result, _ = submitted(batch, tmp_path, JobSelection(phases=(1,)))
    operations = [one for one in batch.asked if one in ("SubmitJob", "DescribeJobs")]
    assert operations.index("DescribeJobs") < len(operations) - operations[::-1].index("SubmitJob") - 1
    assert [(job.outcome.state, job.outcome.reason) for job in submission_result.jobs] == [
        ("FAILED", 'exit code 3: "Essential container in task exited"'), ("COMPLETED", ""),
    ]  # fmt: skip
    assert not submission_result.good
    assert submission_result.jobs[1].unreadable == "it has written nothing that could be fetched"


def test_without_waiting_each_job_waits_for_the_one_before(batch: ScriptedBatch, tmp_path: Path):
    submission_result, _ = submitted(batch, tmp_path, JobSelection(phases=(1, 2)), wait=False)
    ids = [job.outcome.number for job in submission_result.jobs]
    assert len(ids) > 2
    assert [one.get("dependsOn") for one in batch.submitted] == [None, *([{"jobId": id_}] for id_ in ids[:-1])]


def test_a_second_call_goes_on_and_submits_nothing(batch: ScriptedBatch, tmp_path: Path):
    submitted(batch, tmp_path, wait=False)
    submission_result, _ = submitted(batch, tmp_path)
    assert (submission_result.good, len(batch.submitted)) == (True, 1)
    again, told = submitted(batch, tmp_path)
    assert (again.good, told, len(batch.submitted)) == (True, [], 1)


def test_a_job_that_was_submitted_and_not_remembered_is_found(batch: ScriptedBatch, tmp_path: Path):
    """As where the call was killed between the two."""
    submitted(batch, tmp_path, wait=False)
    memory = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**memory, "jobs": {}}))
    submission_result, told = submitted(batch, tmp_path)
    assert (submission_result.good, len(batch.submitted)) == (True, 1)
    assert told[0] == f"{TWO_NODES}: submitted before as job {submission_result.jobs[0].outcome.number}"


def test_a_job_that_has_failed_is_run_again_by_the_next_call(batch: ScriptedBatch, tmp_path: Path):
    good = batch.of_jobs[TWO_NODES]
    batch.of_jobs[TWO_NODES] = [Step("FAILED", "Host EC2 (instance i-0) terminated.", stopped_ms=1, stream="")]
    assert not submitted(batch, tmp_path)[0].good
    batch.of_jobs[TWO_NODES] = good
    assert submitted(batch, tmp_path)[0].good
    assert len(batch.submitted) == 2
    assert len({one["jobName"] for one in batch.submitted}) == 1


def test_what_passes_is_waited_out(batch: ScriptedBatch, tmp_path: Path):
    batch.of_jobs[TWO_NODES].insert(0, Step("", fails="ServerException"))
    submission_result, told = submitted(batch, tmp_path)
    assert (submission_result.good, [line for line in told if line.endswith("trying again")]) == (
        True, ["could not ask AWS (batch:DescribeJobs): said by the stand-in; trying again"],
    )  # fmt: skip


def test_a_time_that_is_over_leaves_the_jobs_and_says_how_to_go_on(batch: ScriptedBatch, tmp_path: Path):
    batch.of_jobs["p1-all_reduce"] = [Step("RUNNING", stream="")]
    with pytest.raises(TrainyardError, match="training-p1-all_reduce not ended after 10 min") as told:
        submitted(batch, tmp_path, JobSelection(phases=(1,)), within_s=600)
    assert (len(batch.submitted), batch.terminated) == (1, [])
    assert "repeat the command" in str(told.value.hint)


def test_a_time_that_is_over_between_two_jobs_submits_no_more(batch: ScriptedBatch, tmp_path: Path):
    batch.of_jobs["p1-all_reduce"] = [*[Step("RUNNING", stream="")] * 4, Step("SUCCEEDED", exit_code=0, stream="")]
    with pytest.raises(TrainyardError, match="training-p1-alltoall is not submitted: 1 min are over"):
        submitted(batch, tmp_path, JobSelection(phases=(1,)), within_s=60)
    assert len(batch.submitted) == 1


def test_jobs_are_taken_back(batch: ScriptedBatch, tmp_path: Path):
    submission_result, _ = submitted(batch, tmp_path, JobSelection(phases=(1,)), wait=False)
    assert cancel_jobs(cluster(batch), results=tmp_path) == [job.outcome.job.id for job in submission_result.jobs]
    assert [one["jobId"] for one in batch.terminated] == [job.outcome.number for job in submission_result.jobs]


def test_a_job_that_batch_has_forgotten_is_gone(batch: ScriptedBatch, tmp_path: Path):
    submitted(batch, tmp_path, wait=False)
    batch.names.clear()
    submission_result, _ = submitted(batch, tmp_path)
    assert (submission_result.jobs[0].outcome.state, submission_result.good) == ("GONE", False)


def test_a_refusal_is_one_clear_error_and_nothing_is_remembered(batch: ScriptedBatch, tmp_path: Path):
    batch.refuses = {"SubmitJob": "AccessDeniedException"}
    with pytest.raises(TrainyardError, match="not allowed: batch:SubmitJob"):
        submitted(batch, tmp_path)
    memory = read_submission_record(tmp_path)
    assert memory is not None
    assert memory.jobs == {}


def test_a_sweep_of_our_own_is_for_slurm(batch: ScriptedBatch, tmp_path: Path):
    with pytest.raises(InputError, match="lab runs its tests on AWS Batch, where --backend has no meaning"):
        submitted(batch, tmp_path, JobSelection(backend="tcp"))
    assert list(tmp_path.iterdir()) == []


def test_names_fit_for_the_longest_names_of_queues():
    spec = parse(SPEC.replace("training", "a" * 25).replace("nodes: 2", "nodes: 64"), "cluster.yaml").spec
    jobs = planned_jobs(spec)
    assert jobs
    assert max(len(f"trainyard-bench-{'0' * 12}-{job.id}") for job in jobs) <= 128


def test_a_deployed_cluster_is_known_by_its_name(batch: ScriptedBatch):
    assert batch.account is not None
    remember_deployment(batch.account, SPEC)
    found = named_cluster("lab", batch.account)
    assert isinstance(found.scheduler, OnBatch)
    assert (found.scheduler.queues, found.scheduler.words) == (["lab-training"], "AWS Batch in us-east-2")
    with pytest.raises(InputError, match="lab is on AWS Batch and has no head node"):
        named_cluster("lab", batch.account, ssh="ubuntu@203.0.113.7")


def test_the_job_of_another_queue_is_not_this_submission_s(batch: ScriptedBatch, tmp_path: Path):
    submitted(batch, tmp_path, wait=False)
    memory = read_submission_record(tmp_path)
    assert memory is not None
    batch.names.append((f"{ARN}-other", f"TRAINYARD-BENCH-{memory.token}-{TWO_NODES}", 9999))
    submission_result, _ = submitted(batch, tmp_path)
    assert submission_result.jobs[0].outcome.number != f"{ARN}-other"
