"""What a load balancer sends requests to."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

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


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it with its targets."""
    elb = aws.client("elbv2")
    name = wanted.properties.get("Name", wanted.name)
    answer = elb.create_target_group(Name=name, **picked(wanted.properties, *_NAMES), **with_tags(wanted))
    arn = answer["TargetGroups"][0]["TargetGroupArn"]
    _set(aws, arn, wanted)
    attributes = {
        "TargetGroupArn": arn,
        "TargetGroupName": name,
        "TargetGroupFullName": arn.rpartition(":")[2],
        "LoadBalancerArns": [],
    }
    return Made(arn, attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change the health check, the attributes and the targets."""
    former = made.wanted.properties.get("Targets", []) if made.wanted else []
    elb = aws.client("elbv2")
    if gone := [target for target in former if target not in wanted.properties.get("Targets", [])]:
        elb.deregister_targets(TargetGroupArn=made.id, Targets=gone)
    elb.modify_target_group(TargetGroupArn=made.id, **picked(wanted.properties, *_HEALTH))
    _set(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("elbv2").delete_target_group(TargetGroupArn=made.id)


def _set(aws: Aws, arn: str, wanted: Wanted) -> None:
    elb = aws.client("elbv2")
    if targets := wanted.properties.get("Targets"):
        elb.register_targets(TargetGroupArn=arn, Targets=targets)
    if attributes := wanted.properties.get("TargetGroupAttributes"):
        elb.modify_target_group_attributes(TargetGroupArn=arn, Attributes=attributes)
