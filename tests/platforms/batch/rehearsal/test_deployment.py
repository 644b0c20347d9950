"""A cluster of AWS Batch through its life: made, gone on with, changed, used, kept from harm, and removed."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.cloud import refusal
from tests.rehearsal.whole import counts, deployed, destroyed
from tests.waiting import wait_until
from trainyard.api.deploy import data_of, destroy_cluster, jobs_of
from trainyard.deploy.deployment import work_for
from trainyard.deploy.work import Event
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.rehearsal.archive import ArchiveFile, write_archive
from trainyard.rehearsal.rehearsal import inventory
from trainyard.spec.parsing import parse
from trainyard.training.ledger.job_records import job_records

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = """\
name: mnp
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
  - {name: small, instance_type: p4d.24xlarge, nodes: {min: 0, max: 2}}
"""
THREE = SPEC + "  - {name: other, instance_type: p5en.48xlarge, nodes: {min: 0, max: 2}}\n"
_DOCKER = "application/vnd.docker"
MANIFEST = {
    "schemaVersion": 2,
    "mediaType": f"{_DOCKER}.distribution.manifest.v2+json",
    "config": {"mediaType": f"{_DOCKER}.container.image.v1+json", "size": 7, "digest": f"sha256:{'0' * 64}"},
    "layers": [{"mediaType": f"{_DOCKER}.image.rootfs.diff.tar", "size": 1 << 30, "digest": f"sha256:{'1' * 64}"}],
}
STEPS = ["bucket", "changes", "review", "network", "key-pair", "batch"]


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    """A cluster whose deployment was interrupted once, and went on."""
    with seeded_account(THREE) as started:
        with pytest.raises(KeyboardInterrupt):
            deployed(started, SPEC, listener=_interrupting)
        yield started


def _interrupting(event: Event) -> None:
    if (event.step, event.kind) == ("network", "done"):
        raise KeyboardInterrupt


@pytest.fixture
def cluster(account: Account) -> Account:
    """The cluster as its spec says, whatever the test before has done."""
    done = deployed(account, SPEC)
    assert done.ok, done.results[-1].error
    return account


def outputs(account: Account) -> dict[str, str]:
    (stack,) = account.client("cloudformation").describe_stacks(StackName="mnp-batch")["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def environment(account: Account) -> dict[str, Any]:
    answer = account.client("batch").describe_compute_environments(
        computeEnvironments=[outputs(account)["ComputeEnvironment"]]
    )
    found: dict[str, Any] = answer["computeEnvironments"][0]
    return found


def submitted(account: Account, queue: str = "mnp-small") -> str:
    job: str = account.client("batch").submit_job(
        jobName="a-job", jobQueue=queue, jobDefinition=f"{queue}-nccl", nodeOverrides={"numNodes": 2}
    )["jobId"]
    return job


def error_of(account: Account, text: str) -> Any:
    return deployed(account, text).results[-1].error


def test_a_deployment_goes_on_where_it_was_interrupted_and_a_second_one_changes_nothing(account: Account):
    first, second = deployed(account, SPEC), deployed(account, SPEC)
    assert [result.name for result in first.results] == STEPS
    assert [result.status for result in first.results if result.name in ("network", "batch")] == ["unchanged", "done"]
    assert {result.status for result in second.results} == {"unchanged"}
    assert (first.stage, second.stage) == ("deployed", "deployed")


def test_a_template_that_is_too_long_for_a_request_comes_from_the_bucket(cluster: Account):
    found = [one for one in inventory(cluster) if "/trainyard/mnp/templates/batch-" in one]
    assert found
    body = cluster.client("cloudformation").get_template(StackName="mnp-batch")["TemplateBody"]
    assert len(str(body)) > 51_200


def test_a_compute_environment_has_what_its_template_says(cluster: Account):
    resources = environment(cluster)["computeResources"]
    assert (resources["minvCpus"], resources["maxvCpus"]) == (0, 4 * 192)
    assert resources["instanceTypes"] == ["p5.48xlarge"]
    assert resources["placementGroup"].startswith("mnp-batch-PlacementGroup")
    template = resources["launchTemplate"]
    (version,) = cluster.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=template["launchTemplateId"], Versions=[template["version"]]
    )["LaunchTemplateVersions"]
    assert len(version["LaunchTemplateData"]["NetworkInterfaces"]) == 32


def test_a_job_definition_keeps_its_nodes(cluster: Account):
    (definition,) = cluster.client("batch").describe_job_definitions(
        jobDefinitions=[outputs(cluster)["NcclJobDefinition"]]
    )["jobDefinitions"]
    (nodes,) = definition["nodeProperties"]["nodeRangeProperties"]
    assert (definition["type"], nodes["targetNodes"]) == ("multinode", "0:")
    assert len(nodes["container"]["linuxParameters"]["devices"]) == 32


def test_more_nodes_change_a_compute_environment_in_place(cluster: Account):
    before = environment(cluster)
    more = SPEC.replace("max: 4}", "max: 6}")
    assert deployed(cluster, more).ok
    after = environment(cluster)
    assert after["computeEnvironmentArn"] == before["computeEnvironmentArn"]
    assert after["computeResources"]["maxvCpus"] == 6 * 192


def test_another_image_makes_another_revision_and_the_former_is_inactive(cluster: Account):
    former = outputs(cluster)["TorchrunJobDefinition"]
    assert deployed(cluster, SPEC + "batch: {pytorch_image: public.ecr.aws/example/torch:1}\n").ok
    now = outputs(cluster)["TorchrunJobDefinition"]
    assert now != former
    found = cluster.client("batch").describe_job_definitions(jobDefinitions=[former, now])["jobDefinitions"]
    assert {one["jobDefinitionArn"]: one["status"] for one in found} == {former: "INACTIVE", now: "ACTIVE"}


def test_a_queue_that_comes_or_goes_is_told(cluster: Account):
    more = deployed(cluster, THREE)
    assert more.ok, more.results[-1].error
    assert next(result.detail for result in more.results if result.name == "changes") == "new queues: mnp-other"
    less = deployed(cluster, SPEC)
    assert less.ok, less.results[-1].error
    assert next(result.detail for result in less.results if result.name == "changes") == "queues that go: mnp-other"


def test_queues_in_another_order_are_refused_before_anything_is_touched(cluster: Account):
    lines = SPEC.splitlines(keepends=True)
    error = error_of(cluster, "".join((*lines[:-2], lines[-1], lines[-2])))
    assert "queue mnp-small exists and would change its place" in error.problem
    assert "keep them in the order mnp-training, mnp-small" in error.hint


def test_a_queue_with_jobs_does_not_go(cluster: Account):
    job = submitted(cluster)
    without = "".join(SPEC.splitlines(keepends=True)[:-1])
    error = error_of(cluster, without)
    assert f"the spec no longer has a queue in which jobs are not over: job a-job ({job}) in queue mnp-small" in str(
        error
    )
    cluster.client("batch").terminate_job(jobId=job, reason="test")
    assert deployed(cluster, without).ok


def test_a_job_goes_from_state_to_state_and_says_what_its_nodes_do(cluster: Account):
    batch, job = cluster.client("batch"), submitted(cluster)
    states = [batch.describe_jobs(jobs=[job])["jobs"][0]["status"] for _ in range(6)]
    assert states == ["SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED"]
    (node,) = batch.describe_jobs(jobs=[f"{job}#1"])["jobs"]
    assert node["nodeDetails"] == {"nodeIndex": 1, "isMainNode": False}
    assert node["container"]["exitCode"] == 0
    events = cluster.client("logs").get_log_events(
        logGroupName=outputs(cluster)["LogGroup"], logStreamName=node["container"]["logStreamName"]
    )["events"]
    assert events[0]["message"].startswith("emulated: node 1 of 2 would run")
    listed = batch.list_jobs(multiNodeJobId=job)["jobSummaryList"]
    assert [one["jobId"] for one in listed] == [f"{job}#0", f"{job}#1"]


def test_a_ledger_reads_what_batch_says_of_a_job_and_of_its_nodes(cluster: Account):
    batch, job = cluster.client("batch"), submitted(cluster)
    wait_until(lambda: batch.describe_jobs(jobs=[job])["jobs"][0]["status"] == "SUCCEEDED")
    for asked in ([job], [job, f"{job}#0", f"{job}#1"]):
        told = json.dumps({"jobs": batch.describe_jobs(jobs=asked)["jobs"]}, default=str)
        (start,) = job_records(told, "jobs.json", 2**50, gpus_a_node=8).attempts
        assert (start.run, start.job, start.is_running) == ("a-job", job, False)
        assert start.gpus == {"node 0": 8, "node 1": 8}


def test_a_job_whose_image_nobody_has_pushed_fails_and_says_so(cluster: Account):
    batch = cluster.client("batch")
    job = batch.submit_job(jobName="smoke", jobQueue="mnp-small", jobDefinition="mnp-small-stress")["jobId"]
    states = [batch.describe_jobs(jobs=[job])["jobs"][0] for _ in range(6)]
    assert states[-1]["status"] == "FAILED"
    assert "CannotPullContainerError" in states[-1]["statusReason"]
    assert ":stress-ng" in states[-1]["statusReason"]


def test_a_job_of_more_nodes_than_its_queue_may_have_stays_runnable_and_says_why(cluster: Account):
    batch = cluster.client("batch")
    asked = {"jobName": "large", "jobQueue": "mnp-small", "jobDefinition": "mnp-small-nccl"}
    job = batch.submit_job(**asked, nodeOverrides={"numNodes": 3})["jobId"]
    last = [batch.describe_jobs(jobs=[job])["jobs"][0] for _ in range(6)][-1]
    assert last["status"] == "RUNNABLE"
    assert last["statusReason"].startswith("MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE")
    batch.terminate_job(jobId=job, reason="test")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("JOB_NAME", "FILTER*", ["filter-b", "filter-a"]),
        ("JOB_DEFINITION", "mnp-small-str*", ["filter-b"]),
        ("JOB_DEFINITION", "mnp-small-none", []),
        ("AFTER_CREATED_AT", "1000", ["filter-b", "filter-a"]),
        ("BEFORE_CREATED_AT", "1000", []),
    ],
)
def test_jobs_are_listed_by_filters_the_newest_first(filtered: Account, name: str, value: str, found: list[str]):
    asked = {"jobQueue": "mnp-small", "filters": [{"name": name, "values": [value]}]}
    listed = [one["jobName"] for one in filtered.client("batch").list_jobs(**asked)["jobSummaryList"]]
    assert [one for one in listed if one.startswith("filter-")] == found


@pytest.fixture(scope="module")
def filtered(account: Account) -> Account:
    """A cluster with two jobs, of which the second came later."""
    done = deployed(account, SPEC)
    assert done.ok, done.results[-1].error
    batch = account.client("batch")
    for name, definition in (("filter-a", "mnp-small-nccl"), ("filter-b", "mnp-small-stress")):
        job = batch.submit_job(jobName=name, jobQueue="mnp-small", jobDefinition=definition)["jobId"]
        batch.terminate_job(jobId=job, reason="test")
    return account


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"jobQueue": "mnp-none"}, "JobQueue mnp-none not found"),
        ({"jobDefinition": "mnp-small-none"}, "JobDefinition mnp-small-none not found"),
        ({"nodeOverrides": {"numNodes": 0}}, "'0:' is no range of 0 nodes"),
        ({"nodeOverrides": {"nodePropertyOverrides": [{"targetNodes": "5:"}]}}, "no node range is '5:'"),
        ({"retryStrategy": {"evaluateOnExit": [{"action": "NEVER"}]}}, "'NEVER' is not one of RETRY, EXIT"),
        ({"nodeOverrides": {"numNodes": 10**9}}, "no jobs of 1000000000 nodes"),
        ({"tags": {"why": "x" * 250}, "parameters": {"long": "x" * 31_000}}, "bytes are more than 30720"),
    ],
    ids=["queue", "definition", "no-nodes", "range", "enum", "very-many-nodes", "size"],
)
def test_a_submission_that_batch_would_refuse_is_refused(cluster: Account, wrong: dict[str, Any], said: str):
    asked = {"jobName": "a", "jobQueue": "mnp-small", "jobDefinition": "mnp-small-nccl", **wrong}
    code, message = refusal(cluster.client("batch").submit_job, **asked)
    assert code == "ClientException"
    assert said in message


def test_an_archive_has_the_events_of_every_stack_once(cluster: Account, tmp_path: Path):
    work = work_for(parse(SPEC, "cluster.yaml").spec, cluster, lambda _: None)
    write_archive(work, [], ArchiveFile(tmp_path / "logs.tar.gz"))
    with tarfile.open(tmp_path / "logs.tar.gz") as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    events = sorted(name for name in names if name.endswith("-cfn-events"))
    assert events == ["mnp-batch-cfn-events", "mnp-network-cfn-events"]


def test_destroying_names_and_ends_jobs_and_keeps_images_until_they_are_to_go(cluster: Account):
    running = submitted(cluster, "mnp-training")
    for _ in range(4):
        cluster.client("batch").describe_jobs(jobs=[running])
    waiting = submitted(cluster)
    running_words = f"job a-job ({running}) in queue mnp-training, RUNNING"
    assert jobs_of("mnp", cluster).jobs == (running_words, f"job a-job ({waiting}) in queue mnp-small, SUBMITTED")
    with pytest.raises(TrainyardError, match=r"destroying mnp ends jobs: job a-job .* RUNNING; job a-job") as refused:
        destroy_cluster("mnp", cluster)
    assert "--end-jobs" in str(refused.value.hint)
    assert counts(cluster)["Batch compute environments"] > 0
    registry = outputs(cluster)["ECRRepository"]
    cluster.client("ecr").put_image(repositoryName=registry, imageManifest=json.dumps(MANIFEST), imageTag="pytorch")
    done = destroyed(cluster, SPEC, delete_data=False)
    assert done.ok, done.results[-1].error
    assert "mnp-batch deleted, with 2 jobs ended" in [result.detail for result in done.results]
    found = cluster.client("batch").describe_jobs(jobs=[running, waiting])["jobs"]
    assert {one["statusReason"] for one in found} == {"its cluster is destroyed"}
    assert any(one.startswith("registry with 1 image of") and one.endswith(registry) for one in done.kept)
    assert set(done.kept) == set(data_of("mnp", cluster))
    assert counts(cluster)["Batch compute environments"] == 0
    assert destroyed(cluster, SPEC).ok
    assert data_of("mnp", cluster) == ()
    left = counts(cluster)
    kinds = ("Batch job queues", "Batch job definitions", "ECR repositories", "Log groups", "EC2 launch templates")
    assert {kind: left[kind] for kind in (*kinds, "CloudFormation stacks", "S3 objects")} == dict.fromkeys(
        (*kinds, "CloudFormation stacks", "S3 objects"), 0
    )


ENVIRONMENT = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800}}]
"""
IN_ENVIRONMENT = """\
name: guest
region: us-east-2
platform: batch
environment: shared
queues: [{name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 2}}]
file_systems: [{mount: /fsx, lustre: {id: environment}}]
"""


def test_a_cluster_in_an_environment_uses_its_network_and_its_file_system():
    with seeded_account(IN_ENVIRONMENT) as shared:
        assert "environment shared is missing" in str(deployed(shared, IN_ENVIRONMENT).results[-1].error)
        assert deployed(shared, ENVIRONMENT).ok
        done = deployed(shared, IN_ENVIRONMENT)
        assert done.ok, done.results[-1].error
        (guest,) = shared.client("cloudformation").describe_stacks(StackName="guest-batch")["Stacks"]
        given = {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in guest["Parameters"]}
        (storage,) = shared.client("cloudformation").describe_stacks(StackName="shared-storage")["Stacks"]
        made = {output["OutputKey"]: output["OutputValue"] for output in storage["Outputs"]}
        assert given["FileSystems"] == f"lustre:{made['FSxLustreFilesystemId']}:/fsx"
        with pytest.raises(TrainyardError, match="environment shared is used by guest"):
            destroyed(shared, ENVIRONMENT)
        assert destroyed(shared, IN_ENVIRONMENT).ok
        assert destroyed(shared, ENVIRONMENT).ok
        assert counts(shared)["CloudFormation stacks"] == 0
