"""Auto Scaling: instances that are launched as the launch template says, and only where there is capacity.

Moto launches them past RunInstances, stumbles over volumes without a size, and leaves those that end in target groups.
https://github.com/getmoto/moto/blob/5.2.5/moto/autoscaling/models.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError
from moto.autoscaling.models import ASG_NAME_TAG, FakeAutoScalingGroup, InstanceState

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

_REFUSED: dict[str, str] = {}


def install() -> None:
    """Launch through RunInstances."""
    wrap(FakeAutoScalingGroup, "replace_autoscaling_group_instances", _launch)
    wrap(FakeAutoScalingGroup, "set_desired_capacity", _scale)


def refusal_of(group: str) -> str:
    """Return why EC2 launched nothing for a group when it was last asked: code and message, as activities have them."""
    return _REFUSED.get(group, "")


def _scale(former: Callable[..., None], group: Any, capacity: int | None) -> None:
    """Let the target groups of a group have its instances, and no others."""
    former(group, capacity)
    instances = {state.instance.id for state in group.instance_states}
    balancing = group.autoscaling_backend.elbv2_backend
    for target_group in (balancing.target_groups[arn] for arn in group.target_group_arns):
        gone = [{"Id": id_} for id_ in target_group.targets if id_ not in instances]
        balancing.deregister_targets(target_group.arn, gone)
        balancing.register_targets(target_group.arn, [{"Id": id_, "Port": target_group.port} for id_ in instances])


def _launch(former: Callable[..., None], group: Any, count: int, tags: dict[str, str]) -> None:
    if not group.ec2_launch_template:
        former(group, count, tags)
        return
    every = {**tags, ASG_NAME_TAG: group.name}
    arguments = {
        "LaunchTemplate": {
            "LaunchTemplateId": group.ec2_launch_template.id,
            "Version": str(group.launch_template_version or "$Default"),
        },
        "SubnetId": group.vpc_zone_identifier.split(",")[0],
        "TagSpecifications": [
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in every.items()]}
        ],
    }
    try:
        answer = InProcessAccount(group.region).client("ec2").run_instances(MinCount=count, MaxCount=count, **arguments)
    except ClientError as error:  # a failed activity: the group stays smaller than it should be
        error_body = error.response["Error"]
        _REFUSED[group.name] = f"{error_body['Code']} - {error_body['Message']}"
        return
    _REFUSED.pop(group.name, None)
    for described in answer["Instances"]:
        instance = group.ec2_backend.get_instance(described["InstanceId"])
        instance.autoscaling_group = group
        group.instance_states.append(InstanceState(instance))
