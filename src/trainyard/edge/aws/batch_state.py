"""AWS Batch: the compute environments and job queues of a region as AWS describes them. Asks only.

https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeComputeEnvironments.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobQueues.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages

_MOST_NAMED = 100  # in one call


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


def compute_environments(account: Account, names: Iterable[str]) -> tuple[ComputeEnvironment, ...]:
    """Return those of some compute environments that are there, by their names or ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    permission, operation = "batch:DescribeComputeEnvironments", "describe_compute_environments"
    found = _described(account, permission, operation, "computeEnvironments", names)
    return tuple(_environment(one) for one in found if one.get("status") != "DELETED")


def job_queues(account: Account, names: Iterable[str]) -> tuple[JobQueue, ...]:
    """Return those of some job queues that are there, by their names or ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    found = _described(account, "batch:DescribeJobQueues", "describe_job_queues", "jobQueues", names)
    return tuple(_queue(one) for one in found if one.get("status") != "DELETED")


def _described(
    account: Account, permission: str, operation: str, key: str, names: Iterable[str]
) -> tuple[Mapping[str, Any], ...]:
    wanted = sorted(set(names))
    parts = [wanted[first : first + _MOST_NAMED] for first in range(0, len(wanted), _MOST_NAMED)]
    return tuple(one for part in parts for one in pages(account, permission, operation, key, **{key: part}))


def _environment(described: Mapping[str, Any]) -> ComputeEnvironment:
    resources = described.get("computeResources", {})
    template = resources.get("launchTemplate", {})
    named = template.get("launchTemplateId") or template.get("launchTemplateName")
    overrides = [one.get("imageIdOverride") for one in resources.get("ec2Configuration", ())]
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
    order = sorted(described.get("computeEnvironmentOrder", ()), key=lambda one: int(one["order"]))
    return JobQueue(
        described["jobQueueName"],
        described["jobQueueArn"],
        described.get("state", ""),
        described.get("status", ""),
        described.get("statusReason", ""),
        tuple(one["computeEnvironment"] for one in order),
    )
