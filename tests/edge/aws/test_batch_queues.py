"""AWS Batch as it is described: environments, instances, launches, and images in registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.deploy.preflights.recorded import listening
from tests.edge.aws.batch_cluster import ACCOUNT, ENVIRONMENT, BatchCluster, activity, environment, instance, job, queue
from trainyard.edge.aws.batch_instances import failed_launches, instances_of
from trainyard.edge.aws.batch_job_state import described_jobs
from trainyard.edge.aws.batch_queues import ComputeEnvironment, batch_of_cluster, compute_environments, job_queues
from trainyard.edge.aws.container_registry import image_is_there

REGISTRY = f"{ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com"


def described(of: BatchCluster) -> ComputeEnvironment:
    (compute_environment,) = compute_environments(of.account(), [ENVIRONMENT])
    return compute_environment


def test_what_is_deleted_is_not_there():
    gone = BatchCluster(environments=(environment(status="DELETED"),), queues=(queue(status="DELETED"),))
    assert compute_environments(gone.account(), ["any"]) == ()
    assert job_queues(gone.account(), ["any"]) == ()


def test_nothing_is_asked_about_nothing():
    account = BatchCluster().account()
    assert (compute_environments(account, []), job_queues(account, []), described_jobs(account, [])) == ((), (), ())
    assert account.calls == []


def test_a_queue_has_its_environments_in_their_order():
    order = [{"order": 2, "computeEnvironment": "second"}, {"order": 1, "computeEnvironment": "first"}]
    (job_queue,) = job_queues(BatchCluster(queues=(queue(computeEnvironmentOrder=order),)).account(), ["any"])
    assert job_queue.environments == ("first", "second")


def test_an_instance_of_another_profile_is_none_of_the_environment():
    other = instance("i-0ccccccccccccccc1", IamInstanceProfile={"Arn": "arn:aws:iam::1:instance-profile/other"})
    of = BatchCluster(instances=(instance(), other))
    assert [one["InstanceId"] for one in instances_of(of.account(), described(of))] == ["i-0bbbbbbbbbbbbbbb1"]


@pytest.mark.parametrize("profile", ["arn:aws:iam::123456789012:instance-profile/a/path/nodes", "nodes"])
def test_a_profile_is_named_by_its_arn_or_by_its_name(profile: str):
    one = instance(IamInstanceProfile={"Arn": "arn:aws:iam::123456789012:instance-profile/a/path/nodes"})
    of = BatchCluster(environments=(environment(computeResources={"instanceRole": profile}),), instances=(one,))
    assert len(instances_of(of.account(), described(of))) == 1


@pytest.mark.parametrize(
    ("name", "tags", "is_own"),
    [
        (f"AWSBatch-{ENVIRONMENT}-1-asg", {}, True),
        ("AWSBatch-1", {"trainyard:cluster": "llm", "trainyard:queue": "training"}, True),
        ("AWSBatch-1", {"trainyard:cluster": "llm", "trainyard:queue": "other"}, False),
        (f"mine-of-{ENVIRONMENT}", {}, False),
    ],
    ids=["by its name", "by its tags", "of another queue", "of somebody else"],
)
def test_launches_that_failed_are_those_of_the_groups_of_the_environment(name: str, tags: Mapping[str, str], is_own):
    group = {
        "AutoScalingGroupName": name, "MinSize": 0, "MaxSize": 1, "DesiredCapacity": 0, "DefaultCooldown": 1,
        "AvailabilityZones": [], "HealthCheckType": "EC2", "CreatedTime": activity("")["StartTime"],
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }  # fmt: skip
    of = BatchCluster(activities=(activity("first", minutes_ago=9), activity("last", minutes_ago=1)))
    account = of.account(autoscaling__DescribeAutoScalingGroups={"AutoScalingGroups": [group]})
    found = [failed_launch.why for failed_launch in failed_launches(account, described(of))]
    assert found == (["last", "first"] if is_own else [])


def test_jobs_are_described_a_hundred_at_once():
    answer, heard = listening({"jobs": [job("RUNNING")]})
    job_details = described_jobs(BatchCluster().account(batch__DescribeJobs=answer), map(str, range(250)))
    assert [len(one["jobs"]) for one in heard] == [100, 100, 50]
    assert len(job_details) == 3


def test_a_stack_without_anything_of_batch_is_no_cluster_of_it():
    summary = {
        "LogicalResourceId": "Topic", "PhysicalResourceId": "arn", "ResourceType": "AWS::SNS::Topic",
        "ResourceStatus": "CREATE_COMPLETE", "LastUpdatedTimestamp": activity("")["StartTime"],
    }  # fmt: skip
    account = BatchCluster().account(cloudformation__ListStackResources={"StackResourceSummaries": [summary]})
    assert batch_of_cluster(account, "llm") is None


@pytest.mark.parametrize(
    ("image", "asked"),
    [
        (f"{REGISTRY}/llm/nccl:1.2", {"repositoryName": "llm/nccl", "imageIds": [{"imageTag": "1.2"}]}),
        (f"{REGISTRY}/llm", {"repositoryName": "llm", "imageIds": [{"imageTag": "latest"}]}),
        (
            f"{REGISTRY}/llm:1@sha256:{'0' * 64}",
            {"repositoryName": "llm", "imageIds": [{"imageDigest": f"sha256:{'0' * 64}"}]},
        ),
    ],
    ids=["tag", "no tag", "digest"],
)
def test_an_image_is_looked_for_in_the_registry_that_it_names(image: str, asked: dict[str, Any]):
    answer, heard = listening({"imageDetails": [{}]})
    assert image_is_there(BatchCluster().account(ecr__DescribeImages=answer), image) is True
    assert heard == [{"registryId": ACCOUNT, **asked}]


@pytest.mark.parametrize("image", ["public.ecr.aws/hpc-cloud/nccl-tests:1", "nvcr.io/nvidia/pytorch:25.01", "ubuntu"])
def test_nobody_is_asked_about_an_image_of_another_registry(image: str):
    account = BatchCluster().account()
    assert image_is_there(account, image) is None
    assert account.calls == []
