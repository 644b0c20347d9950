"""Jobs that an update would end: who is asked, what it answers, and how long they are waited for."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from tests.deploy.waits import Waits
from tests.edge.aws.in_memory import IMAGE
from trainyard.deploy.cluster_update import ClusterUpdate, RunningJobs
from trainyard.deploy.deployment import refuse_to_end_jobs
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.nodes import nodes
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.running_jobs import await_jobs, jobs_of_cluster, running_jobs

EMPTY = "== nodes\n== counts\n== jobs\n== names\n"
JOB = (
    "== nodes\n== counts\n1 RUNNING|ada|gpu|2\n3 PENDING|bob|gpu|1\n== jobs\n7|RUNNING|ada|gpu|2|N/A|gpu-st-p5-[1-2]\n"
    "8|PENDING|bob|gpu|1|N/A|(Resources)\n== names\n7|pretrain|stage 2\n"
)
TOLD = 'job 7 "pretrain|stage 2" of ada on 2 nodes of gpu'
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
    content = gzip.compress(output.encode())
    printed = f"welcome\ntrainyard-answer {status} {len(content)} {base64.b64encode(content).decode()} -\n"
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
    assert "Slurm does not answer" in running_jobs(cluster, ["gpu"]).unknown
    slurm.add_client_error("send_command", "InvalidInstanceId", "Instances not in a valid state")
    assert "cannot be reached" in running_jobs(cluster, ["gpu"]).unknown


def plant_cluster(work: Work, **tags: str) -> None:
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    template = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
    work.account.client("cloudformation").create_stack(StackName=work.name, TemplateBody=template, Tags=listed)


def test_a_destruction_ends_jobs_that_run_and_jobs_that_wait(cluster: Work, slurm: Stubber):
    assert jobs_of_cluster(cluster) == RunningJobs()  # no stack of ours
    plant_cluster(cluster, **{"trainyard:cluster": cluster.name})
    answer(slurm, JOB)
    jobs = jobs_of_cluster(cluster)
    assert jobs.jobs == (TOLD, "job 8 of bob on 1 node of gpu, which waits")
    assert str(jobs) == f"{'; '.join(jobs.jobs)}; and 2 more"
    with pytest.raises(TrainyardError, match=r"destroying .* ends jobs: job 7"):
        refuse_to_end_jobs(cluster, jobs)
    refuse_to_end_jobs(replace(cluster, options=Options(end_jobs=True)), jobs)


def test_a_cluster_that_does_not_answer_is_destroyed_unasked_only_where_no_node_is_there(cluster: Work, slurm: Stubber):
    plant_cluster(cluster, **{"trainyard:cluster": cluster.name})
    slurm.add_client_error("send_command", "InvalidInstanceId", "Instances not in a valid state")
    unknown = jobs_of_cluster(cluster)
    assert "cannot be reached" in unknown.unknown
    with pytest.raises(TrainyardError, match="nobody can say which: the head node cannot be reached"):
        refuse_to_end_jobs(cluster, unknown)
    ec2 = cluster.account.client("ec2")
    for node in nodes(cluster.account, cluster.name):
        if node.role == "Compute":
            ec2.terminate_instances(InstanceIds=[node.id])
    slurm.add_client_error("send_command", "InvalidInstanceId", "Instances not in a valid state")
    assert not jobs_of_cluster(cluster)


def test_jobs_are_waited_for_until_they_are_over(cluster: Work, slurm: Stubber, clock: Waits):
    waiting = replace(cluster, options=Options(wait_for_jobs_s=600))
    for output in (JOB, JOB, EMPTY):
        answer(slurm, output)
    closed = []
    await_jobs(waiting, UPDATE, lambda: closed.append(UPDATE.queues))
    assert closed == [("gpu",)]
    assert sum(clock.pauses) == 60
    slurm.assert_no_pending_responses()


def test_jobs_that_outlast_the_deadline_stop_the_update_but_where_they_may_end(cluster: Work, slurm: Stubber):
    for _ in range(4):
        answer(slurm, JOB)
    with pytest.raises(TrainyardError, match="job 7"):
        await_jobs(replace(cluster, options=Options(wait_for_jobs_s=30)), UPDATE, lambda: None)
    await_jobs(replace(cluster, options=Options(wait_for_jobs_s=30, end_jobs=True)), UPDATE, lambda: None)
    slurm.assert_no_pending_responses()
