"""Jobs that an update would end: who is asked, what it answers, and how long they are waited for."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from tests.deploy.waits import Waits
from tests.edge.aws.in_memory import IMAGE
from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.work import Options, Work
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.running_jobs import await_jobs, running_jobs

JOB = "7|ada|gpu|2|pretrain|stage 2\n"
TOLD = "job 7 (pretrain|stage 2) of ada on 2 nodes of gpu"
UPDATE = ClusterUpdate((), "terminate", ("gpu",))


def launch(work: Work, role: str, **tags: str) -> str:
    given = {"cluster-name": work.name, "node-type": role, **tags}
    listed = [{"Key": f"parallelcluster:{key.replace('_', '-')}", "Value": value} for key, value in given.items()]
    launched = work.account.client("ec2").run_instances(
        ImageId=IMAGE, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": listed}]
    )
    return str(launched["Instances"][0]["InstanceId"])


@pytest.fixture
def clock() -> Waits:
    return Waits()


@pytest.fixture
def cluster(work: Work, clock: Waits) -> Work:
    """A cluster with a head node and one node of the queue."""
    work = replace(work, account=replace(work.account, clock=clock))
    launch(work, "HeadNode")
    launch(work, "Compute", queue_name="gpu", compute_resource_name="p5")
    return work


@pytest.fixture
def slurm(cluster: Work) -> Iterator[Stubber]:
    """Systems Manager, which answers what it is told to."""
    with Stubber(cluster.account.client("ssm")) as stubber:
        yield stubber


def answer(slurm: Stubber, output: str, status: int = 0) -> None:
    encoded = base64.b64encode(output.encode()).decode() or "-"
    printed = f"welcome\ntrainyard-answer {status} {len(output.encode())} {encoded} -\n"
    names: dict[str, Any] = {"InstanceIds": ANY, "DocumentName": ANY, "TimeoutSeconds": ANY, "Comment": ANY}
    slurm.add_response("send_command", {"Command": {"CommandId": "c" * 36}}, {**names, "Parameters": ANY})
    ended = {"Status": "Success", "StatusDetails": "Success", "StandardOutputContent": printed}
    slurm.add_response("get_command_invocation", ended, {"CommandId": ANY, "InstanceId": ANY})


def test_jobs_are_told_with_their_users(cluster: Work, slurm: Stubber):
    answer(slurm, JOB)
    assert running_jobs(cluster, ["gpu"]) == RunningJobs((TOLD,))


def test_where_no_node_of_the_queues_runs_nobody_is_asked(cluster: Work, slurm: Stubber):
    assert running_jobs(cluster, ["cpu"]) == RunningJobs()
    slurm.assert_no_pending_responses()


def test_a_slurm_that_does_not_answer_is_unknown_and_not_idle(cluster: Work, slurm: Stubber):
    answer(slurm, "", status=1)
    assert running_jobs(cluster, ["gpu"]).unknown == "squeue failed: exit status 1"
    slurm.add_client_error("send_command", "InvalidInstanceId", "Instances not in a valid state")
    assert "cannot be reached" in running_jobs(cluster, ["gpu"]).unknown


def test_jobs_are_waited_for_until_they_are_over(cluster: Work, slurm: Stubber, clock: Waits):
    waiting = replace(cluster, options=Options(wait_for_jobs_s=600))
    for output in (JOB, JOB, ""):
        answer(slurm, output)
    await_jobs(waiting, UPDATE)
    assert sum(clock.pauses) == 60
    slurm.assert_no_pending_responses()


def test_jobs_that_outlast_the_deadline_stop_the_update_but_where_they_may_end(cluster: Work, slurm: Stubber):
    for _ in range(4):
        answer(slurm, JOB)
    with pytest.raises(TrainyardError, match="job 7"):
        await_jobs(replace(cluster, options=Options(wait_for_jobs_s=30)), UPDATE)
    await_jobs(replace(cluster, options=Options(wait_for_jobs_s=30, end_jobs=True)), UPDATE)
    slurm.assert_no_pending_responses()
