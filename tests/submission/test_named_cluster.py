"""A cluster by its name: its spec from the bucket, and its head node from EC2."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.operate.status.planted import IMAGE
from tests.rehearsal.account_copies import empty_account
from trainyard.api.bench_submit import named_cluster
from trainyard.deploy.record import Deployment, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.ssh import SshSlurm
from trainyard.errors import TrainyardError
from trainyard.submission.on_slurm import OnSlurm

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SPEC = """\
name: lab
region: us-east-2
platform: parallelcluster
queues:
  - {name: q, instance_type: p5.48xlarge, nodes: 2}
"""


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as started:
        bucket = s3.own_bucket(started)
        started.client("s3").create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": started.region}
        )
        record = Deployment("lab", "us-east-2", "deployed", "0.1", "3.16.1", SPEC, None, "2026-11-21T00:00:00+00:00")
        write_record(started, bucket, record)
        yield started


def head_node(account: Account) -> str:
    tags = {"parallelcluster:cluster-name": "lab", "parallelcluster:node-type": "HeadNode"}
    made = account.client("ec2").run_instances(
        ImageId=IMAGE, InstanceType="m5.large", MinCount=1, MaxCount=1,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )  # fmt: skip
    return str(made["Instances"][0]["InstanceId"])


def test_a_cluster_is_reached_by_its_head_node_or_by_ssh_and_not_without_one(account: Account):
    with pytest.raises(TrainyardError, match="no head node of lab runs: there is none"):
        named_cluster("lab", account)
    by_ssh = named_cluster("lab", account, ssh="ubuntu@203.0.113.7")
    assert isinstance(by_ssh.scheduler, OnSlurm)
    assert isinstance(by_ssh.scheduler.head, SshSlurm)
    assert by_ssh.spec.queues[0].instance_type == "p5.48xlarge"
    instance = head_node(account)
    cluster = named_cluster("lab", account)
    assert isinstance(cluster.scheduler, OnSlurm)
    assert isinstance(cluster.scheduler.head, SsmSlurm)
    assert cluster.scheduler.head.instance == instance
    account.client("ec2").stop_instances(InstanceIds=[instance])
    with pytest.raises(TrainyardError, match=f"no head node of lab runs: {instance} is stopp"):
        named_cluster("lab", account)


def test_a_cluster_that_nobody_deployed_is_told(account: Account):
    with pytest.raises(TrainyardError, match="there is no cluster nope in us-east-2") as told:
        named_cluster("nope", account)
    assert "--bucket" in str(told.value.hint)
