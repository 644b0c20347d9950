"""A group of instances of which as many run as are wanted."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = "AWS::AutoScaling::AutoScalingGroup"
_COUNTS = ("DesiredCapacity", "MaxSize", "MinSize")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and wait until it has its instances."""
    name = resource.properties.get("AutoScalingGroupName", resource.name)
    tags = [{"ResourceId": name, "ResourceType": "auto-scaling-group", **tag} for tag in _tags(resource)]
    asked = picked(resource.properties, "HealthCheckType", "HealthCheckGracePeriod", "TargetGroupARNs")
    aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name, **_counts(resource), **_launch(resource), **asked, Tags=tags
    )
    for hook in resource.properties.get("LifecycleHookSpecificationList", []):
        aws.client("autoscaling").put_lifecycle_hook(AutoScalingGroupName=name, **hook)
    _check_is_stable(aws, name)
    return PhysicalResource(name)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change how many run, and what new ones are like."""
    aws.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=physical.id, **_counts(resource), **_launch(resource)
    )
    _check_is_stable(aws, physical.id)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with its instances."""
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=physical.id, ForceDelete=True)


def _tags(resource: LogicalResource) -> list[dict[str, Any]]:
    """Return its tags. Those of the stack reach instances too.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
    """
    return [{"PropagateAtLaunch": True, **tag} for tag in resource.properties.get("Tags", [])]


def _counts(resource: LogicalResource) -> dict[str, int]:
    return {name: int(value) for name, value in picked(resource.properties, *_COUNTS).items()}


def _launch(resource: LogicalResource) -> dict[str, Any]:
    asked = picked(resource.properties, "LaunchTemplate")
    if "VPCZoneIdentifier" in resource.properties:
        asked["VPCZoneIdentifier"] = ",".join(resource.properties["VPCZoneIdentifier"])
    return asked


def _check_is_stable(aws: Aws, name: str) -> None:
    groups = aws.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    running, wanted = len(groups[0]["Instances"]), groups[0]["DesiredCapacity"]
    if running < wanted:
        raise ResourceError(f"Group did not stabilize. {running} of {wanted} instances could be launched.")
