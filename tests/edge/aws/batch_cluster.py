"""A cluster of AWS Batch as the services describe it, without sockets. A test changes what is to be wrong.

It makes nothing and keeps no rules, unlike the emulated account of rehearsals: each answer is written down, so that
states stand side by side which no account can be led into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.deploy.preflights.recorded import RecordedAccount, Refusal

NOW_S = 1_800_000_000.0  # of the clock that stands still
ACCOUNT = "123456789012"
NAME, STACK = "llm", "llm-batch"
SUBNET = "subnet-0123456789abcdef0"
VPC = "vpc-0123456789abcdef0"
PROFILE = "llm-batch-InstanceProfile-AB12"
ENVIRONMENT, QUEUE = "ComputeEnvironment-abc123", "llm-training"
REPOSITORY = f"{ACCOUNT}.dkr.ecr.us-east-2.amazonaws.com/llm-batch-repository-ab12"
LOG_GROUP = "llm-batch-LogGroup-AB12cd34"
JOB = "0a1b2c3d-1111-4222-8333-444455556666"
_ARN = f"arn:aws:batch:us-east-2:{ACCOUNT}"


def arn(kind: str, name: str) -> str:
    return f"{_ARN}:{kind}/{name}"


def at(minutes_ago: float) -> datetime:
    return datetime.fromtimestamp(NOW_S, UTC) - timedelta(minutes=minutes_ago)


def ms(minutes_ago: float) -> int:
    return int((NOW_S - minutes_ago * 60) * 1000)


def environment(**changes: Any) -> dict[str, Any]:
    """Return the compute environment; ``changes`` to its resources stand below computeResources."""
    resources = {
        "type": "EC2",
        "allocationStrategy": "BEST_FIT_PROGRESSIVE",
        "minvCpus": 0,
        "maxvCpus": 768,
        "desiredvCpus": 0,
        "instanceTypes": ["p4d.24xlarge"],
        "subnets": [SUBNET],
        "instanceRole": f"arn:aws:iam::{ACCOUNT}:instance-profile/{PROFILE}",
        "launchTemplate": {"launchTemplateId": "lt-0123456789abcdef0", "version": "1"},
        "ec2Configuration": [{"imageType": "ECS_AL2023_NVIDIA"}],
        "tags": {"trainyard:cluster": NAME, "trainyard:queue": "training"},
        **changes.pop("computeResources", {}),
    }
    return {
        "computeEnvironmentName": ENVIRONMENT,
        "computeEnvironmentArn": arn("compute-environment", ENVIRONMENT),
        "ecsClusterArn": f"arn:aws:ecs:us-east-2:{ACCOUNT}:cluster/AWSBatch-{ENVIRONMENT}-1",
        "type": "MANAGED",
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "ComputeEnvironment Healthy",
        "computeResources": resources,
        **changes,
    }


def queue(**changes: Any) -> dict[str, Any]:
    order = [{"order": 1, "computeEnvironment": arn("compute-environment", ENVIRONMENT)}]
    return {
        "jobQueueName": QUEUE,
        "jobQueueArn": arn("job-queue", QUEUE),
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "JobQueue Healthy",
        "priority": 1,
        "computeEnvironmentOrder": order,
        **changes,
    }


def container(**changes: Any) -> dict[str, Any]:
    needs = {"VCPU": "96", "MEMORY": "1052430", "GPU": "8", **changes.pop("needs", {})}
    options = {"awslogs-group": LOG_GROUP, "awslogs-stream-prefix": "nccl"}
    return {
        "image": f"{REPOSITORY}:nccl",
        "instanceType": "p4d.24xlarge",
        "resourceRequirements": [{"type": kind, "value": value} for kind, value in needs.items()],
        "logConfiguration": {"logDriver": "awslogs", "options": options},
        **changes,
    }


def multi_node(nodes: int, of: Mapping[str, Any]) -> dict[str, Any]:
    ranges = [{"targetNodes": "0:", "container": dict(of)}]
    return {"numNodes": nodes, "mainNode": 0, "nodeRangeProperties": ranges}


def job(status: str, *, minutes_ago: float = 60, nodes: int = 2, **changes: Any) -> dict[str, Any]:
    """Return a multi-node job as DescribeJobs does."""
    ended = {"stoppedAt": ms(minutes_ago - 10)} if status in ("FAILED", "SUCCEEDED") else {}
    return {
        "jobId": JOB,
        "jobName": "bench",
        "jobQueue": arn("job-queue", QUEUE),
        "status": status,
        "createdAt": ms(minutes_ago),
        "startedAt": ms(minutes_ago - 5),
        "jobDefinition": arn("job-definition", "llm-training-nccl:1"),
        "nodeProperties": multi_node(nodes, changes.pop("container", container())),
        **ended,
        **changes,
    }


def node_of(whole: Mapping[str, Any], index: int, stream: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a node of a multi-node job as DescribeJobs does."""
    (part,) = whole["nodeProperties"]["nodeRangeProperties"]
    of = part["container"] | ({"logStreamName": stream} if stream else {}) | changes.pop("container", {})
    kept = {key: value for key, value in whole.items() if key != "nodeProperties"}
    details = {"nodeIndex": index, "isMainNode": index == 0}
    return {**kept, "jobId": f"{whole['jobId']}#{index}", "nodeDetails": details, "container": of, **changes}


def instance(id_: str = "i-0bbbbbbbbbbbbbbb1", *, minutes_ago: float = 60, **changes: Any) -> dict[str, Any]:
    tags = {"trainyard:cluster": NAME, "trainyard:queue": "training", "Name": "llm training"}
    return {
        "InstanceId": id_,
        "InstanceType": "p4d.24xlarge",
        "State": {"Name": "running", "Code": 16},
        "Placement": {"AvailabilityZone": "us-east-2a"},
        "SubnetId": SUBNET,
        "VpcId": VPC,
        "LaunchTime": at(minutes_ago),
        "PrivateIpAddress": "10.0.16.1",
        "PrivateDnsName": "ip-10-0-16-1.us-east-2.compute.internal",
        "IamInstanceProfile": {"Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile/{PROFILE}", "Id": "AIPA"},
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        **changes,
    }


def container_instance(id_: str) -> dict[str, Any]:
    resources = [
        {"name": "CPU", "type": "INTEGER", "integerValue": 98304},
        {"name": "MEMORY", "type": "INTEGER", "integerValue": 1_147_000},
        {"name": "GPU", "type": "STRINGSET", "stringSetValue": [f"GPU-{number}" for number in range(8)]},
    ]
    arn_ = f"arn:aws:ecs:us-east-2:{ACCOUNT}:container-instance/{id_}"
    return {
        "containerInstanceArn": arn_,
        "ec2InstanceId": id_,
        "status": "ACTIVE",
        "agentConnected": True,
        "registeredResources": resources,
    }


def reservation(**changes: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": "cr-0123456789abcdef0",
        "State": "active",
        "InstanceType": "p4d.24xlarge",
        "AvailabilityZone": "us-east-2a",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 4,
        "ReservationType": "default",
        **changes,
    }


@dataclass(frozen=True)
class BatchCluster:
    """What there is. Everything is well until a test says otherwise."""

    environments: tuple[dict[str, Any], ...] = (environment(),)
    queues: tuple[dict[str, Any], ...] = (queue(),)
    jobs: tuple[dict[str, Any], ...] = ()
    """As DescribeJobs has them, with nodes of multi-node jobs."""
    definitions: tuple[dict[str, Any], ...] = (
        {
            "jobDefinitionName": "llm-training-nccl",
            "jobDefinitionArn": arn("job-definition", "llm-training-nccl:1"),
            "revision": 1,
            "type": "multinode",
            "status": "ACTIVE",
            "nodeProperties": multi_node(2, container()),
        },
    )
    instances: tuple[dict[str, Any], ...] = ()
    registered: tuple[str, ...] = ()
    """Ids of instances that ECS knows."""
    launch_template: Mapping[str, Any] | None = field(default_factory=dict)
    """None where it is gone."""
    reservations: tuple[dict[str, Any], ...] = ()
    images: frozenset[str] = frozenset({"nccl"})
    """Tags that are in the registry."""
    activities: tuple[dict[str, Any], ...] = ()
    stack: str = STACK
    stack_tags: Mapping[str, str] = field(default_factory=lambda: {"trainyard:cluster": NAME})
    answers: Mapping[str, Any] = field(default_factory=dict)

    def account(self, **answers: Any) -> RecordedAccount:
        """Return an account with it; ``answers`` go before its own: service__Operation."""
        given = {name.replace("__", "."): one for name, one in answers.items()}
        return RecordedAccount("us-east-2", answers={**_answers(self), **self.answers, **given})

    def but(self, **changes: Any) -> BatchCluster:
        return replace(self, **changes)


def _answers(of: BatchCluster) -> dict[str, Any]:
    return {
        "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/me"},
        "s3.GetObject": Refusal("NoSuchKey", status=404),
        "s3.ListObjectsV2": {},
        "dynamodb.GetItem": Refusal("ResourceNotFoundException"),
        "eks.DescribeCluster": Refusal("ResourceNotFoundException"),
        "fsx.DescribeFileSystems": {"FileSystems": []},
        "efs.DescribeFileSystems": {"FileSystems": []},
        "cloudformation.DescribeStacks": _stacks(of),
        "cloudformation.ListStackResources": _resources(of),
        "cloudformation.DescribeStackEvents": {"StackEvents": []},
        "batch.DescribeComputeEnvironments": {"computeEnvironments": list(of.environments)},
        "batch.DescribeJobQueues": {"jobQueues": list(of.queues)},
        "batch.DescribeJobDefinitions": {"jobDefinitions": list(of.definitions)},
        "batch.ListJobs": _listed(of),
        "batch.DescribeJobs": lambda asked: {"jobs": [one for one in of.jobs if one["jobId"] in asked["jobs"]]},
        "ec2.DescribeInstances": _instances(of),
        "ec2.DescribeLaunchTemplateVersions": _template(of),
        "ec2.DescribeCapacityReservations": {"CapacityReservations": list(of.reservations)},
        "ecs.ListContainerInstances": {"containerInstanceArns": list(of.registered)},
        "ecs.DescribeContainerInstances": {"containerInstances": list(map(container_instance, of.registered))},
        "autoscaling.DescribeAutoScalingGroups": {"AutoScalingGroups": [_group()] if of.activities else []},
        "autoscaling.DescribeScalingActivities": {"Activities": list(of.activities)},
        "ecr.DescribeImages": _images(of),
        "logs.DescribeLogGroups": {"logGroups": []},
    }


def _stacks(of: BatchCluster) -> Callable[[Mapping[str, Any]], Any]:
    described = {
        "StackName": of.stack,
        "StackId": f"arn:aws:cloudformation:us-east-2:{ACCOUNT}:stack/{of.stack}/1",
        "StackStatus": "CREATE_COMPLETE",
        "CreationTime": at(600),
        "Tags": [{"Key": key, "Value": value} for key, value in of.stack_tags.items()],
        "Outputs": [{"OutputKey": "LogGroup", "OutputValue": LOG_GROUP}],
    }

    def answer(asked: Mapping[str, Any]) -> Any:
        if asked.get("StackName", of.stack) not in (of.stack, described["StackId"]):
            return Refusal("ValidationError", f"Stack with id {asked['StackName']} does not exist")
        return {"Stacks": [described]}

    return answer


def _resources(of: BatchCluster) -> Callable[[Mapping[str, Any]], Any]:
    ids = [
        ("AWS::Batch::ComputeEnvironment", arn("compute-environment", ENVIRONMENT)),
        ("AWS::Batch::JobQueue", arn("job-queue", QUEUE)),
        ("AWS::Batch::JobDefinition", arn("job-definition", "llm-training-nccl:1")),
        ("AWS::Logs::LogGroup", LOG_GROUP),
        ("AWS::CloudWatch::Dashboard", QUEUE),
        ("AWS::ECR::Repository", "llm-batch-repository-ab12"),
    ]
    summaries = [
        {
            "LogicalResourceId": kind.rpartition(":")[2],
            "PhysicalResourceId": id_,
            "ResourceType": kind,
            "ResourceStatus": "CREATE_COMPLETE",
            "LastUpdatedTimestamp": at(600),
        }
        for kind, id_ in ids
    ]

    def answer(asked: Mapping[str, Any]) -> Any:
        if asked["StackName"] != of.stack:
            return Refusal("ValidationError", f"Stack with id {asked['StackName']} does not exist")
        return {"StackResourceSummaries": summaries}

    return answer


def _listed(of: BatchCluster) -> Callable[[Mapping[str, Any]], Any]:
    wholes = [one for one in of.jobs if "nodeDetails" not in one]

    def summary(one: Mapping[str, Any]) -> dict[str, Any]:
        keys = ("jobId", "jobName", "status", "statusReason", "createdAt", "startedAt", "stoppedAt", "jobDefinition")
        nodes = {"nodeProperties": {"numNodes": one["nodeProperties"]["numNodes"]}} if "nodeProperties" in one else {}
        return {key: one[key] for key in keys if key in one} | nodes

    def answer(asked: Mapping[str, Any]) -> Any:
        those = [whole for whole in wholes if whole["jobQueue"] == asked["jobQueue"]]
        if "filters" not in asked:
            those = [one for one in those if one["status"] == asked["jobStatus"]]
        newest_first = sorted(those, key=lambda one: -int(one["createdAt"]))
        return {"jobSummaryList": list(map(summary, newest_first))}

    return answer


def _instances(of: BatchCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        found = [one for one in of.instances if all(_fits(one, wanted) for wanted in asked.get("Filters", ()))]
        return {"Reservations": [{"Instances": [one]} for one in found]}

    return answer


def _fits(one: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    name, values = wanted["Name"], wanted["Values"]
    if name.startswith("tag:"):
        return any({"Key": name.removeprefix("tag:"), "Value": value} in one["Tags"] for value in values)
    members = {"instance-state-name": one["State"]["Name"], "subnet-id": one["SubnetId"]}
    return {**members, "instance-id": one["InstanceId"]}[name] in values


def _template(of: BatchCluster) -> Any:
    if of.launch_template is None:
        return Refusal("InvalidLaunchTemplateId.NotFound", "The specified launch template does not exist.")
    return {"LaunchTemplateVersions": [{"LaunchTemplateData": dict(of.launch_template)}]}


def _images(of: BatchCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        (wanted,) = asked["imageIds"]
        if wanted["imageTag"] not in of.images:
            return Refusal("ImageNotFoundException", "The image does not exist within the repository")
        return {"imageDetails": [{"imageTags": [wanted["imageTag"]]}]}

    return answer


def _group() -> dict[str, Any]:
    return {
        "AutoScalingGroupName": f"AWSBatch-{ENVIRONMENT}-1-asg-2",
        "MinSize": 0,
        "MaxSize": 8,
        "DesiredCapacity": 0,
        "DefaultCooldown": 300,
        "HealthCheckType": "EC2",
        "AvailabilityZones": ["us-east-2a"],
        "CreatedTime": at(600),
    }


def activity(why: str, *, minutes_ago: float = 5) -> dict[str, Any]:
    """Return an attempt of Auto Scaling to start an instance that failed."""
    return {
        "ActivityId": f"a-{minutes_ago}",
        "AutoScalingGroupName": f"AWSBatch-{ENVIRONMENT}-1-asg-2",
        "Cause": "an instance was started in response to a difference between desired and actual capacity",
        "StartTime": at(minutes_ago),
        "StatusCode": "Failed",
        "StatusMessage": why,
    }
