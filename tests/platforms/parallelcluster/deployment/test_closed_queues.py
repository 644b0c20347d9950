"""Queues that are closed while an update waits: which ones, what is remembered of it, and how they are opened."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from botocore.stub import ANY, Stubber

from tests.deploy.waits import Waits
from tests.edge.aws.in_memory import IMAGE
from tests.specs import spec_of
from trainyard.deploy.record import new_record, read_record, write_record
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.closed_queues import close_queues, open_queues


@pytest.fixture
def cluster(work: Work) -> Work:
    """A cluster with a head node and a record."""
    work = replace(work, account=replace(work.account, clock=Waits()))
    tags = {"parallelcluster:cluster-name": work.name, "parallelcluster:node-type": "HeadNode"}
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    work.account.client("ec2").run_instances(
        ImageId=IMAGE, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": listed}]
    )
    spec = spec_of(f"name: {work.name}\nqueues: [{{name: q, instance_type: m5.large}}]\n")
    write_record(work.account, work.bucket, new_record(spec, "", None))
    return work


def answers(slurm: Stubber, *outputs: str, status: int = 0) -> None:
    """Let Systems Manager answer commands in turn."""
    for output in outputs:
        encoded = base64.b64encode(output.encode()).decode() or "-"
        printed = f"trainyard-answer {status} {len(output.encode())} {encoded} -\n"
        names = dict.fromkeys(("InstanceIds", "DocumentName", "TimeoutSeconds", "Comment", "Parameters"), ANY)
        slurm.add_response("send_command", {"Command": {"CommandId": "c" * 36}}, names)
        ended = {"Status": "Success", "StatusDetails": "Success", "StandardOutputContent": printed}
        slurm.add_response("get_command_invocation", ended, {"CommandId": ANY, "InstanceId": ANY})


def remembered(work: Work) -> tuple[str, ...]:
    record = read_record(work.account, work.bucket, work.name)
    assert record is not None
    return record.closed_queues


def test_what_is_up_is_closed_and_only_that_is_opened_again(cluster: Work):
    told: list[str] = []
    cluster.listener = lambda event: told.append(event.text)
    with Stubber(cluster.account.client("ssm")) as slurm:
        answers(slurm, "q up\nr up\nold down\n", "")
        close_queues(cluster, ["q", "old"])
        assert remembered(cluster) == ("q",)
        answers(slurm, "q down\nold down\nr up\n", "")
        open_queues(cluster)
        slurm.assert_no_pending_responses()
    assert remembered(cluster) == ()
    assert told == ["no new jobs begin in q until the update is made", "jobs begin again in q"]
    open_queues(cluster)  # nothing is closed, so nobody is asked


def test_a_queue_that_cannot_be_opened_stays_remembered_and_the_error_says_how(cluster: Work):
    with Stubber(cluster.account.client("ssm")) as slurm:
        answers(slurm, "q up\n", "")
        close_queues(cluster, ["q"])
        answers(slurm, "slurmctld is down", status=1)
        with pytest.raises(TrainyardError, match="q start no jobs, and cannot be opened") as refused:
            open_queues(cluster)
    assert "PartitionName=q State=UP" in str(refused.value.hint)
    assert remembered(cluster) == ("q",)


def test_a_queue_that_the_update_has_taken_away_is_forgotten(cluster: Work):
    with Stubber(cluster.account.client("ssm")) as slurm:
        answers(slurm, "q up\n", "", "r up\n")
        close_queues(cluster, ["q"])
        open_queues(cluster)
        slurm.assert_no_pending_responses()
    assert remembered(cluster) == ()
