"""Load balancers and their target groups."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    with_tags,
    written_properties,
)

_NAMES_LOAD_BALANCER = ("IpAddressType", "Scheme", "SecurityGroups", "SubnetMappings", "Subnets", "Type")


def _create_load_balancer(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and set its attributes."""
    elb = aws.client("elbv2")
    name = resource.properties.get("Name", resource.name)
    answer = elb.create_load_balancer(
        Name=name, **written_properties(resource.properties, *_NAMES_LOAD_BALANCER), **with_tags(resource)
    )
    balancer = answer["LoadBalancers"][0]
    arn = balancer["LoadBalancerArn"]
    _set_attributes(aws, arn, resource)
    attributes = {
        "LoadBalancerArn": arn,
        "LoadBalancerFullName": arn.partition(":loadbalancer/")[2],
        "LoadBalancerName": balancer["LoadBalancerName"],
        "DNSName": balancer["DNSName"],
        "CanonicalHostedZoneID": balancer.get("CanonicalHostedZoneId", ""),
        "SecurityGroups": balancer.get("SecurityGroups", []),
    }
    return PhysicalResource(arn, attributes)


def _update_load_balancer(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its attributes, and the subnets and security groups that differ."""
    elb = aws.client("elbv2")
    former = physical.logical.properties if physical.logical else {}
    changed = {key: value for key, value in resource.properties.items() if former.get(key) != value}
    _set_attributes(aws, physical.id, resource)
    if "SecurityGroups" in changed:
        elb.set_security_groups(LoadBalancerArn=physical.id, SecurityGroups=changed["SecurityGroups"])
    if "Subnets" in changed:
        elb.set_subnets(LoadBalancerArn=physical.id, Subnets=changed["Subnets"])
    return physical


def _delete_load_balancer(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("elbv2").delete_load_balancer(LoadBalancerArn=physical.id)


def _set_attributes(aws: Aws, arn: str, resource: LogicalResource) -> None:
    if attributes := resource.properties.get("LoadBalancerAttributes"):
        aws.client("elbv2").modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=attributes)


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
_NAMES_TARGET_GROUP = ("IpAddressType", "Port", "Protocol", "ProtocolVersion", "TargetType", "VpcId", *_HEALTH)


def _create_target_group(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it with its targets."""
    elb = aws.client("elbv2")
    name = resource.properties.get("Name", resource.name)
    answer = elb.create_target_group(
        Name=name, **written_properties(resource.properties, *_NAMES_TARGET_GROUP), **with_tags(resource)
    )
    arn = answer["TargetGroups"][0]["TargetGroupArn"]
    _set(aws, arn, resource)
    attributes = {
        "TargetGroupArn": arn,
        "TargetGroupName": name,
        "TargetGroupFullName": arn.rpartition(":")[2],
        "LoadBalancerArns": [],
    }
    return PhysicalResource(arn, attributes)


def _update_target_group(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change the health check, the attributes and the targets."""
    former = physical.logical.properties.get("Targets", []) if physical.logical else []
    elb = aws.client("elbv2")
    if gone := [target for target in former if target not in resource.properties.get("Targets", [])]:
        elb.deregister_targets(TargetGroupArn=physical.id, Targets=gone)
    elb.modify_target_group(TargetGroupArn=physical.id, **written_properties(resource.properties, *_HEALTH))
    _set(aws, physical.id, resource)
    return physical


def _delete_target_group(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("elbv2").delete_target_group(TargetGroupArn=physical.id)


def _set(aws: Aws, arn: str, resource: LogicalResource) -> None:
    elb = aws.client("elbv2")
    if targets := resource.properties.get("Targets"):
        elb.register_targets(TargetGroupArn=arn, Targets=targets)
    if attributes := resource.properties.get("TargetGroupAttributes"):
        elb.modify_target_group_attributes(TargetGroupArn=arn, Attributes=attributes)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::ElasticLoadBalancingV2::LoadBalancer": ResourceType(
        _create_load_balancer, _delete_load_balancer, _update_load_balancer
    ),
    "AWS::ElasticLoadBalancingV2::TargetGroup": ResourceType(
        _create_target_group, _delete_target_group, _update_target_group
    ),
}
