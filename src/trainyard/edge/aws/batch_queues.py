"""AWS Batch: compute environments, job queues and the stack that made them, as AWS describes them.

https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeComputeEnvironments.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobQueues.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages, parts

_MOST_NAMED = 100  # in one call
_RESOURCES = {
    "AWS::Batch::ComputeEnvironment": "environments",
    "AWS::Batch::JobQueue": "queues",
    "AWS::Batch::JobDefinition": "definitions",
    "AWS::ECR::Repository": "repositories",
    "AWS::Logs::LogGroup": "log_groups",
    "AWS::CloudWatch::Dashboard": "dashboards",
}
# https://docs.aws.amazon.com/batch/latest/userguide/job_states.html: those that run first.
_UNFINISHED = ("RUNNING", "STARTING", "RUNNABLE", "PENDING", "SUBMITTED")
# Batch has one code for everything that is wrong with a request.
_NO_QUEUE = ("ClientException: not found", "ClientException: does not exist")


class ComputeEnvironment(NamedTuple):
    """A compute environment."""

    name: str
    arn: str
    state: str
    """ENABLED where it may start instances, otherwise DISABLED."""
    status: str
    """VALID, INVALID, or what AWS is doing with it: CREATING, UPDATING, DELETING."""
    reason: str
    """What AWS says of the status."""
    kind: str
    """EC2, SPOT, FARGATE, FARGATE_SPOT or ECS_MANAGED_INSTANCES; empty where AWS manages no instances."""
    min_vcpus: int
    desired_vcpus: int
    max_vcpus: int
    instance_types: tuple[str, ...]
    """Types, families such as p5, or optimal and the like."""
    subnets: tuple[str, ...]
    instance_profile: str
    """The ARN or the name of the instance profile; empty where there is none."""
    launch_template: tuple[str, str] | None
    """Its id or name, and which version: a number, $Latest or $Default."""
    images: tuple[str, ...]
    """Ids of images that are named; none where Batch picks one."""
    ecs_cluster: str
    """The ARN of the cluster of ECS below it."""
    instance_tags: tuple[tuple[str, str], ...]


class JobQueue(NamedTuple):
    """A job queue."""

    name: str
    arn: str
    state: str
    """ENABLED where it takes jobs, otherwise DISABLED."""
    status: str
    reason: str
    environments: tuple[str, ...]
    """The ARNs of its compute environments, in the order in which they are tried."""


class BatchResources(NamedTuple):
    """The resources of a stack that make a Batch cluster, by their ids: ARNs or names."""

    stack: str
    environments: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    log_groups: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()


class UnfinishedJob(NamedTuple):
    """A job that waits or runs."""

    id: str
    name: str
    status: str
    queue: str

    def __str__(self) -> str:
        """Say which, where, and what it does."""
        return f"job {self.name} ({self.id}) in queue {self.queue}, {self.status}"


def compute_environments(account: Account, names: Iterable[str]) -> tuple[ComputeEnvironment, ...]:
    """Return those of some compute environments that are there, by their names or ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    described = _described(account, "describe_compute_environments", "computeEnvironments", names)
    return tuple(_environment(environment) for environment in described if environment.get("status") != "DELETED")


def job_queues(account: Account, names: Iterable[str]) -> tuple[JobQueue, ...]:
    """Return those of some job queues that are there, by their names or ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    described = _described(account, "describe_job_queues", "jobQueues", names)
    return tuple(_queue(queue) for queue in described if queue.get("status") != "DELETED")


def _described(account: Account, operation: str, key: str, names: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
    named = parts(sorted(set(names)), _MOST_NAMED)
    return tuple(described for part in named for described in pages(account, "batch", operation, key, **{key: part}))


def _environment(described: Mapping[str, Any]) -> ComputeEnvironment:
    resources = described.get("computeResources", {})
    template = resources.get("launchTemplate", {})
    named = template.get("launchTemplateId") or template.get("launchTemplateName")
    overrides = [image.get("imageIdOverride") for image in resources.get("ec2Configuration", ())]
    return ComputeEnvironment(
        described["computeEnvironmentName"],
        described["computeEnvironmentArn"],
        described.get("state", ""),
        described.get("status", ""),
        described.get("statusReason", ""),
        resources.get("type", ""),
        resources.get("minvCpus", 0),
        resources.get("desiredvCpus", 0),
        resources.get("maxvCpus", 0),
        tuple(resources.get("instanceTypes", ())),
        tuple(resources.get("subnets", ())),
        resources.get("instanceRole", ""),
        (named, template.get("version") or "$Default") if named else None,
        tuple(image for image in (resources.get("imageId"), *overrides) if image),
        described.get("ecsClusterArn", ""),
        tuple(resources.get("tags", {}).items()),
    )


def _queue(described: Mapping[str, Any]) -> JobQueue:
    order = sorted(described.get("computeEnvironmentOrder", ()), key=lambda place: int(place["order"]))
    return JobQueue(
        described["jobQueueName"],
        described["jobQueueArn"],
        described.get("state", ""),
        described.get("status", ""),
        described.get("statusReason", ""),
        tuple(place["computeEnvironment"] for place in order),
    )


def batch_of_cluster(account: Account, cluster: str) -> BatchResources | None:
    """Return what there is of Batch in the stack of a cluster: in ours, CLUSTER-batch, or one that is called so.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return batch_resources(account, f"{cluster}-batch") or batch_resources(account, cluster)


def batch_resources(account: Account, stack: str) -> BatchResources | None:
    """Return what a stack has of Batch; None where it has no compute environment and no job queue, or is not there.

    By this a cluster is one of Batch, whoever made it.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    operation, key, missing = "list_stack_resources", "StackResourceSummaries", ("ValidationError",)
    listed = pages(account, "cloudformation", operation, key, none_if=missing, StackName=stack)
    ids: dict[str, list[str]] = {}
    for resource in listed:
        kind, id_ = _RESOURCES.get(resource["ResourceType"]), resource.get("PhysicalResourceId")
        if kind is not None and id_ and resource["ResourceStatus"] != "DELETE_COMPLETE":
            ids.setdefault(kind, []).append(id_)
    resources = BatchResources(stack, **{kind: tuple(of_kind) for kind, of_kind in ids.items()})
    return resources if resources.environments or resources.queues else None


def unfinished_jobs(account: Account, queue: str) -> list[UnfinishedJob]:
    """Return the jobs of a queue that are not over, those that run first; none where there is no such queue."""
    expectations: dict[str, Any] = {"doing": f"list the jobs of queue {queue}", "none_if": _NO_QUEUE}
    return [
        UnfinishedJob(job["jobId"], job["jobName"], job["status"], queue.rpartition("/")[2])
        for status in _UNFINISHED
        for job in pages(
            account, "batch", "list_jobs", "jobSummaryList", **expectations, jobQueue=queue, jobStatus=status
        )
    ]


def close_queue(account: Account, queue: str) -> None:
    """Let a queue take no more jobs, as before it is deleted. One that is gone takes none.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteJobQueue.html
    """
    doing = f"disable queue {queue}"
    call(account, "batch", "update_job_queue", doing=doing, none_if=_NO_QUEUE, jobQueue=queue, state="DISABLED")


def terminate(account: Account, job: UnfinishedJob, reason: str) -> None:
    """End a job, in whatever state it is."""
    call(account, "batch", "terminate_job", doing=f"end {job}", jobId=job.id, reason=reason)
