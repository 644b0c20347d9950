"""What is said of a Batch cluster that trainyard has deployed into an emulated account: its state, logs and causes."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import deployed
from tests.training.test_run_submission import MANIFEST
from trainyard.api.diagnose import diagnose_cluster
from trainyard.api.logs import Period, cluster_logs
from trainyard.api.run import new_run
from trainyard.api.run_submit import cancel, look, run_place, submit
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.operate.connect.target_search import find_target
from trainyard.operate.status.status_query import status
from trainyard.platforms.batch.status.platform_status import BatchPlatformStatus

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = """\
name: mnp
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
"""


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with seeded_account(SPEC) as started:
        done = deployed(started, SPEC)
        assert done.ok, done.results[-1].error
        yield started


def submitted(account: Account, definition: str, nodes: int = 2) -> str:
    job: str = account.client("batch").submit_job(
        jobName="a-job",
        jobQueue="mnp-training",
        jobDefinition=f"mnp-training-{definition}",
        nodeOverrides={"numNodes": nodes},
    )["jobId"]
    return job


def put(account: Account, page: str, job: str, **state: Any) -> None:
    body = json.dumps({"region": account.region, "jobId": job, **state}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{account.endpoint}/trainyard/{page}", body, method="PUT")).close()


def hold(account: Account, job: str, state: str, reason: str = "") -> None:
    put(account, "batch-job", job, status=state, statusReason=reason)


def test_it_is_up_and_says_which_images_are_missing(account):
    found = status("mnp", account)
    assert (found.problem, found.unknown) == (None, {})
    assert found.record is not None
    assert isinstance(found.platform, BatchPlatformStatus)
    batch = found.platform.batch
    assert [(environment.state, environment.status, environment.max_vcpus) for environment in batch.environments] == [
        ("ENABLED", "VALID", 768)
    ]
    assert [(queue.name, queue.state) for queue in batch.queues] == [("mnp-training", "ENABLED")]
    missing = [image.image.rpartition(":")[2] for image in batch.images if image.there is False]
    assert sorted(missing) == ["pytorch", "stress-ng"]
    commands = [concern.command for concern in found.concerns]
    assert "trainyard batch image mnp stress-ng --region us-east-2" in commands


def test_a_job_that_is_stuck_is_told_and_explained(account):
    job = submitted(account, "nccl")
    hold(account, job, "RUNNABLE", "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT - The job resource requirement is higher")
    try:
        (concern,) = [concern for concern in status("mnp", account).concerns if job in concern.what]
        assert "RUNNABLE" in concern.what
        assert concern.command == "trainyard diagnose mnp --region us-east-2"
        diagnosis = diagnose_cluster("mnp", account)
        assert diagnosis.causes[0].cause.id == "batch-job-too-big"
    finally:
        account.client("batch").terminate_job(jobId=job, reason="enough")


def test_a_job_that_needs_more_than_the_environment_may_have_is_found_by_comparing(account):
    job = submitted(account, "nccl", nodes=8)
    hold(account, job, "RUNNABLE")
    try:
        diagnosis = diagnose_cluster("mnp", account)
        assert diagnosis.causes[0].cause.id == "batch-max-vcpus-too-low"
        assert "needs 1536 vCPUs on 8 nodes, more than the 768" in diagnosis.causes[0].evidence[0].text
    finally:
        account.client("batch").terminate_job(jobId=job, reason="enough")


def test_what_a_job_printed_is_found_in_the_log_group_of_the_stack(account):
    job = submitted(account, "nccl")
    client = account.client("batch")
    for _ in range(10):
        (seen,) = client.describe_jobs(jobs=[job])["jobs"]
    assert seen["status"] == "SUCCEEDED"
    logs = cluster_logs("mnp", account, kinds=("nccl",))
    assert logs.log.group.name.startswith("mnp-batch-LogGroup-")
    assert {stream.kind for stream in logs.streams} == {"nccl"}
    assert list(logs.events(Period()))


def test_there_is_no_instance_to_connect_to_while_no_job_runs(account):
    with pytest.raises(TrainyardError, match="Batch starts them when a job wants them"):
        find_target(account, "mnp", None)


def test_a_run_is_tried_again_where_that_can_help_and_not_where_it_cannot(account: Account, tmp_path: Path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    (tmp_path / "run.yaml").write_text(new_run("fsdp"))
    repository = account.client("ecr").describe_repositories()["repositories"][0]["repositoryName"]
    account.client("ecr").put_image(repositoryName=repository, imageManifest=MANIFEST, imageTag="pytorch")
    place = run_place(str(tmp_path / "run.yaml"), account=account, results=tmp_path / "results")
    job = submit(place).job
    for reason, code in (("Host EC2 (instance i-0a1b2c3d4e5f67890) terminated.", None), ("Essential container", 1)):
        put(account, "batch-attempt", job, statusReason=reason, exitCode=code)
        assert look(place).state.state == "PENDING"
    assert len(account.client("batch").describe_jobs(jobs=[job])["jobs"][0]["attempts"]) == 2
    put(
        account, "batch-attempt", job, statusReason="Task failed", reason="CannotPullContainerError: pull access denied"
    )
    assert look(place).state.state == "FAILED"
    assert submit(place).job != job
    cancel(place)
