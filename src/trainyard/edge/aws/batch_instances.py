"""The EC2 instances of a compute environment of AWS Batch, which of them ECS knows, and why others did not start.

A managed environment has a cluster of ECS, and a group of Auto Scaling for the most part. Asks only.
https://docs.aws.amazon.com/batch/latest/userguide/managed_compute_environments.html
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_state import ComputeEnvironment
from trainyard.edge.aws.calls import answer, answer_or_none, by_values, client, pages
from trainyard.edge.aws.ec2 import Described
from trainyard.edge.aws.scaling_activities import FailedLaunch, failed_launches_of

_STATES = ("pending", "running", "stopping", "stopped", "shutting-down")
_MOST_CONTAINER_INSTANCES = 100  # of one call
# What the names of its groups begin with: Batch itself may touch no others.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/BatchServiceRolePolicy.html
_GROUP = "AWSBatch"


class Registered(NamedTuple):
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


def instances_of(account: Account, environment: ComputeEnvironment) -> tuple[Described, ...]:
    """Return the instances of an environment that are not gone.

    They have its instance profile, lie in its subnets and carry its tags. Where environments share all of these, they
    share their instances here.
    """
    if not environment.instance_profile or not environment.subnets:
        return ()
    tags = {f"tag:{key}": (value,) for key, value in environment.instance_tags}
    wanted = by_values(instance_state_name=_STATES, subnet_id=environment.subnets, **tags)
    listed = pages(account, "ec2:DescribeInstances", "describe_instances", "Reservations", Filters=wanted)
    found = (instance for reservation in listed for instance in reservation["Instances"])
    profile = environment.instance_profile.rpartition("/")[2]
    return tuple(one for one in found if _profile(one) == profile)


def _profile(instance: Mapping[str, Any]) -> str:
    return str(instance.get("IamInstanceProfile", {}).get("Arn", "")).rpartition("/")[2]


def registered(account: Account, cluster: str) -> tuple[Registered, ...]:
    """Return the instances that have come to a cluster of ECS; none where there is no such cluster."""
    if not cluster:
        return ()
    call = partial(_container_instances, account, cluster)
    listed = answer_or_none(account, "ecs:ListContainerInstances", call, {"ClusterNotFoundException"}) or ()
    parts = [listed[at : at + _MOST_CONTAINER_INSTANCES] for at in range(0, len(listed), _MOST_CONTAINER_INSTANCES)]
    return tuple(one for part in parts for one in _described(account, cluster, part))


def _container_instances(account: Account, cluster: str) -> tuple[str, ...]:
    found = client(account, "ecs").get_paginator("list_container_instances").paginate(cluster=cluster)
    return tuple(arn for page in found for arn in page.get("containerInstanceArns", ()))


def _described(account: Account, cluster: str, arns: tuple[str, ...]) -> tuple[Registered, ...]:
    call = partial(client(account, "ecs").describe_container_instances, cluster=cluster, containerInstances=list(arns))
    found = answer(account, "ecs:DescribeContainerInstances", call).get("containerInstances", ())
    return tuple(map(_registered, found))


def _registered(described: Mapping[str, Any]) -> Registered:
    # CPU units, 1,024 to a vCPU; GPUs by their ids.
    has = {one["name"]: one for one in described.get("registeredResources", ())}
    return Registered(
        described.get("containerInstanceArn", ""),
        described.get("ec2InstanceId", ""),
        described.get("status", ""),
        bool(described.get("agentConnected")),
        has.get("CPU", {}).get("integerValue", 0) // 1024,
        has.get("MEMORY", {}).get("integerValue", 0),
        len(has.get("GPU", {}).get("stringSetValue", ())),
    )


def failed_launches(account: Account, environment: ComputeEnvironment) -> tuple[FailedLaunch, ...]:
    """Return the last attempts to start instances for an environment that failed, the newest first."""
    permission = "autoscaling:DescribeAutoScalingGroups"
    groups = pages(account, permission, "describe_auto_scaling_groups", "AutoScalingGroups")
    own = [one["AutoScalingGroupName"] for one in groups if _is_of(one, environment)]
    found = [failed for group in own for failed in failed_launches_of(account, group)]
    return tuple(sorted(found, key=lambda one: one.at, reverse=True))


def _is_of(group: Mapping[str, Any], environment: ComputeEnvironment) -> bool:
    """Return whether a group is an environment's: it is named after it, or carries the tags of its instances."""
    name: str = group["AutoScalingGroupName"]
    tags = {(one.get("Key"), one.get("Value")) for one in group.get("Tags", ())}
    own = set(environment.instance_tags)
    return name.startswith(_GROUP) and (environment.name in name or bool(own and own <= tags))
