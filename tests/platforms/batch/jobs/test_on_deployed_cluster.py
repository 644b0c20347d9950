"""Jobs and bandwidth tests on a cluster that was deployed, with the template as it is, into an emulated account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import deployed
from trainyard.api.batch_image import image_build
from trainyard.api.batch_submit import (
    JobOptions,
    cancel_batch_job,
    exit_status,
    follow_batch_job,
    outcome_words,
    submit_batch_job,
)
from trainyard.api.bench_submit import JobSelection, cancel_jobs, named_cluster, submit_jobs
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import BatchJob
from trainyard.platforms.batch.logs.cluster_logs import job_streams

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SPEC = """\
name: mnp
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
  - {name: small, instance_type: trn1.32xlarge, nodes: {min: 0, max: 2}}
"""


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with seeded_account(SPEC) as started:
        done = deployed(started, SPEC)
        assert done.ok, done.results[-1].error
        yield started


def run(account: Account, job: str, wanted: JobOptions | None = None) -> tuple[BatchJob, list[str], list[str]]:
    """Return a job at its end, its log, and what was told of it."""
    log: list[str] = []
    told: list[str] = []
    id_ = submit_batch_job("mnp", account, job, wanted, tell=told.append).id
    return follow_batch_job("mnp", account, id_, show=log.append, tell=told.append), log, told


def test_a_job_runs_from_its_submission_to_its_end(account: Account):
    ended, log, told = run(account, "nccl", JobOptions(3, (("NCCL_DEBUG", "INFO"),), ("nvidia-smi", "-L"), 2))
    assert told[:-1] == ["SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING"]
    assert told[-1] == 'SUCCEEDED: "Essential container in task exited"'
    assert log == ["emulated: node 0 of 3 would run nvidia-smi -L"]
    assert (ended.nodes, ended.attempts, exit_status(ended)) == (3, 2, 0)
    assert ended.main.log_group.startswith("mnp-batch-LogGroup")


def test_each_stream_is_told_to_be_of_a_node_of_its_job(account: Account):
    ended, _, _ = run(account, "nccl", JobOptions(2))
    streams = job_streams(account, [ended.queue])
    assert {(stream.name, stream.node) for stream in streams.values() if stream.id == ended.id} == {
        ("mnp-nccl", 0),
        ("mnp-nccl", 1),
    }


def test_a_job_whose_image_nobody_has_pushed_says_so(account: Account):
    ended, log, _ = run(account, "stress-ng")
    assert (exit_status(ended), log) == (1, [])
    assert 'has failed: "CannotPullContainerError' in outcome_words(ended)


def test_more_nodes_than_the_compute_environment_may_have_are_warned_of(account: Account):
    told: list[str] = []
    submit_batch_job("mnp", account, "nccl", JobOptions(5), tell=told.append)
    assert told[0].startswith("5 nodes have 960 vCPUs, and the queue mnp-training may have 768 (4 nodes)")


def test_every_definition_of_the_template_can_be_submitted(account: Account):
    made = [submit_batch_job("mnp", account, job, JobOptions(1), queue="small") for job in ("stress-ng", "torchrun")]
    made.append(submit_batch_job("mnp", account, "small-torchrun"))
    assert [submitted.queue for submitted in made] == ["mnp-small"] * 3
    for submitted in made:
        assert cancel_batch_job("mnp", account, submitted.id).status == "SUBMITTED"
        assert exit_status(follow_batch_job("mnp", account, submitted.id)) == 1


def test_the_registry_and_the_processors_are_those_of_the_template(account: Account):
    build = image_build(account, "mnp", "pytorch", queue="small")
    assert build.name == f"{build.registry}/{build.repository}:pytorch"
    assert (build.platform, build.image.folder) == ("linux/amd64", "pytorch-neuron")
    assert image_build(account, "mnp", "pytorch").image.folder == "pytorch"


def test_bandwidth_tests_are_submitted_followed_and_fetched(account: Account, tmp_path: Path):
    cluster = named_cluster("mnp", account)
    only = JobSelection(ids=("training-p2-all_reduce-2n",))
    submission_result = submit_jobs(cluster, only, results=tmp_path, clock=account.clock)
    (job_result,) = submission_result.jobs
    assert job_result.outcome.state == "COMPLETED"
    assert job_result.outcome.file is not None
    assert job_result.outcome.file.read_text().startswith("emulated: node 0 of 2 would run python3 -c")
    assert job_result.unreadable is not None
    submit_jobs(cluster, JobSelection(phases=(1,)), results=tmp_path, wait=False)
    assert len(cancel_jobs(cluster, results=tmp_path)) == 2
