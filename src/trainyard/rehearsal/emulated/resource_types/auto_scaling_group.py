"""A group of instances of which as many run as are wanted."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, ResourceError, Wanted

TYPE = "AWS::AutoScaling::AutoScalingGroup"
_COUNTS = ("DesiredCapacity", "MaxSize", "MinSize")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and wait until it has its instances."""
    name = wanted.properties.get("AutoScalingGroupName", wanted.name)
    tags = [{"ResourceId": name, "ResourceType": "auto-scaling-group", **tag} for tag in _tags(wanted)]
    asked = picked(wanted.properties, "HealthCheckType", "HealthCheckGracePeriod", "TargetGroupARNs")
    aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name, **_counts(wanted), **_launch(wanted), **asked, Tags=tags
    )
    for hook in wanted.properties.get("LifecycleHookSpecificationList", []):
        aws.client("autoscaling").put_lifecycle_hook(AutoScalingGroupName=name, **hook)
    _check_is_stable(aws, name)
    return Made(name)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change how many run, and what new ones are like."""
    aws.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=made.id, **_counts(wanted), **_launch(wanted)
    )
    _check_is_stable(aws, made.id)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it with its instances."""
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=made.id, ForceDelete=True)


def _tags(wanted: Wanted) -> list[dict[str, Any]]:
    """Return its tags. Those of the stack reach instances too.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
    """
    return [{"PropagateAtLaunch": True, **tag} for tag in wanted.properties.get("Tags", [])]


def _counts(wanted: Wanted) -> dict[str, int]:
    return {name: int(value) for name, value in picked(wanted.properties, *_COUNTS).items()}


def _launch(wanted: Wanted) -> dict[str, Any]:
    asked = picked(wanted.properties, "LaunchTemplate")
    if "VPCZoneIdentifier" in wanted.properties:
        asked["VPCZoneIdentifier"] = ",".join(wanted.properties["VPCZoneIdentifier"])
    return asked


def _check_is_stable(aws: Aws, name: str) -> None:
    groups = aws.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    running, wanted = len(groups[0]["Instances"]), groups[0]["DesiredCapacity"]
    if running < wanted:
        raise ResourceError(f"Group did not stabilize. {running} of {wanted} instances could be launched.")
