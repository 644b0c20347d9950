"""What a load balancer sends requests to."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::ElasticLoadBalancingV2::TargetGroup"
_HEALTH = (
    "HealthCheckEnabled",
    "HealthCheckIntervalSeconds",
    "HealthCheckPath",
    "HealthCheckPort",
    "HealthCheckProtocol",
    "HealthCheckTimeoutSeconds",
    "HealthyThresholdCount",
    "Matcher",
    "UnhealthyThresholdCount",
)
_NAMES = ("IpAddressType", "Port", "Protocol", "ProtocolVersion", "TargetType", "VpcId", *_HEALTH)


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it with its targets."""
    elb = aws.client("elbv2")
    name = resource.properties.get("Name", resource.name)
    answer = elb.create_target_group(Name=name, **picked(resource.properties, *_NAMES), **with_tags(resource))
    arn = answer["TargetGroups"][0]["TargetGroupArn"]
    _set(aws, arn, resource)
    attributes = {
        "TargetGroupArn": arn,
        "TargetGroupName": name,
        "TargetGroupFullName": arn.rpartition(":")[2],
        "LoadBalancerArns": [],
    }
    return PhysicalResource(arn, attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change the health check, the attributes and the targets."""
    former = physical.logical.properties.get("Targets", []) if physical.logical else []
    elb = aws.client("elbv2")
    if gone := [target for target in former if target not in resource.properties.get("Targets", [])]:
        elb.deregister_targets(TargetGroupArn=physical.id, Targets=gone)
    elb.modify_target_group(TargetGroupArn=physical.id, **picked(resource.properties, *_HEALTH))
    _set(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("elbv2").delete_target_group(TargetGroupArn=physical.id)


def _set(aws: Aws, arn: str, resource: LogicalResource) -> None:
    elb = aws.client("elbv2")
    if targets := resource.properties.get("Targets"):
        elb.register_targets(TargetGroupArn=arn, Targets=targets)
    if attributes := resource.properties.get("TargetGroupAttributes"):
        elb.modify_target_group_attributes(TargetGroupArn=arn, Attributes=attributes)
