"""The EC2 instances of a compute environment of AWS Batch, which of them ECS knows, and why others did not start.

A managed environment has a cluster of ECS, and a group of Auto Scaling for the most part. Asks only.
https://docs.aws.amazon.com/batch/latest/userguide/managed_compute_environments.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.edge.aws.calls import by_values, call, pages, parts
from trainyard.edge.aws.ec2 import Described, instances

_STATES = ("pending", "running", "stopping", "stopped", "shutting-down")
_MOST_CONTAINER_INSTANCES = 100  # of one call
_MOST_ACTIVITIES = 50
# What the names of its groups begin with: Batch itself may touch no others.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/BatchServiceRolePolicy.html
_GROUP = "AWSBatch"


class ContainerInstance(NamedTuple):
    """An instance that ECS knows, with what it has for containers."""

    arn: str
    """What ECS calls it."""
    instance: str
    status: str
    """ACTIVE where it takes containers."""
    agent_connected: bool
    vcpus: int
    memory_mib: int
    gpus: int
    tasks: int = 0
    """How many run on it or are about to: those of Batch are jobs."""


class FailedLaunch(NamedTuple):
    """An attempt of Auto Scaling to start instances that failed."""

    group: str
    at: datetime
    why: str


def instances_of(account: Account, environment: ComputeEnvironment) -> tuple[Described, ...]:
    """Return the instances of an environment that are not gone.

    They have its instance profile, lie in its subnets and carry its tags. Where environments share all of these, they
    share their instances here.
    """
    if not environment.instance_profile or not environment.subnets:
        return ()
    tags = {f"tag:{key}": (value,) for key, value in environment.instance_tags}
    filters = by_values(instance_state_name=_STATES, subnet_id=environment.subnets, **tags)
    profile = environment.instance_profile.rpartition("/")[2]
    return tuple(instance for instance in instances(account, filters) if _profile(instance) == profile)


def _profile(instance: Mapping[str, Any]) -> str:
    return str(instance.get("IamInstanceProfile", {}).get("Arn", "")).rpartition("/")[2]


def container_instances(account: Account, cluster: str) -> tuple[ContainerInstance, ...]:
    """Return the instances that have come to a cluster of ECS; none where there is no such cluster."""
    if not cluster:
        return ()
    operation, missing = "list_container_instances", ("ClusterNotFoundException",)
    arns = pages(account, "ecs", operation, "containerInstanceArns", none_if=missing, cluster=cluster)
    described = (
        call(account, "ecs", "describe_container_instances", cluster=cluster, containerInstances=list(part))
        for part in parts(arns, _MOST_CONTAINER_INSTANCES)
    )
    return tuple(_registered(instance) for answer in described for instance in answer.get("containerInstances", ()))


def _registered(described: Mapping[str, Any]) -> ContainerInstance:
    # CPU units, 1,024 to a vCPU; GPUs by their ids.
    has = {resource["name"]: resource for resource in described.get("registeredResources", ())}
    return ContainerInstance(
        described.get("containerInstanceArn", ""),
        described.get("ec2InstanceId", ""),
        described.get("status", ""),
        bool(described.get("agentConnected")),
        has.get("CPU", {}).get("integerValue", 0) // 1024,
        has.get("MEMORY", {}).get("integerValue", 0),
        len(has.get("GPU", {}).get("stringSetValue", ())),
        described.get("runningTasksCount", 0) + described.get("pendingTasksCount", 0),
    )


def failed_launches(account: Account, environment: ComputeEnvironment) -> tuple[FailedLaunch, ...]:
    """Return the last attempts to start instances for an environment that failed, the newest first."""
    groups = pages(account, "autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")
    own = [group["AutoScalingGroupName"] for group in groups if _is_of(group, environment)]
    launches = [launch for group in own for launch in failed_launches_of(account, group)]
    return tuple(sorted(launches, key=lambda launch: launch.at, reverse=True))


def failed_launches_of(account: Account, group: str) -> tuple[FailedLaunch, ...]:
    """Return the last attempts of a group to start instances that failed, the newest first.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeScalingActivities.html
    """
    place: dict[str, Any] = {"AutoScalingGroupName": group, "MaxRecords": _MOST_ACTIVITIES}
    activities = call(account, "autoscaling", "describe_scaling_activities", **place)["Activities"]
    failed = [activity for activity in activities if activity.get("StatusCode") in ("Failed", "Cancelled")]
    return tuple(
        FailedLaunch(
            group,
            activity["StartTime"],
            " ".join(f"{activity.get('StatusMessage') or activity.get('Description')}".split()),
        )
        for activity in failed
    )


def _is_of(group: Mapping[str, Any], environment: ComputeEnvironment) -> bool:
    """Return whether a group is an environment's: it is named after it, or carries the tags of its instances."""
    name: str = group["AutoScalingGroupName"]
    tags = {(tag.get("Key"), tag.get("Value")) for tag in group.get("Tags", ())}
    own = set(environment.instance_tags)
    return name.startswith(_GROUP) and (environment.name in name or bool(own and own <= tags))
