"""A load balancer for applications or networks."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::ElasticLoadBalancingV2::LoadBalancer"
_NAMES = ("IpAddressType", "Scheme", "SecurityGroups", "SubnetMappings", "Subnets", "Type")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and set its attributes."""
    elb = aws.client("elbv2")
    name = resource.properties.get("Name", resource.name)
    answer = elb.create_load_balancer(Name=name, **picked(resource.properties, *_NAMES), **with_tags(resource))
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


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its attributes, subnets and security groups."""
    elb = aws.client("elbv2")
    _set_attributes(aws, physical.id, resource)
    if "SecurityGroups" in resource.properties:
        elb.set_security_groups(LoadBalancerArn=physical.id, SecurityGroups=resource.properties["SecurityGroups"])
    if "Subnets" in resource.properties:
        elb.set_subnets(LoadBalancerArn=physical.id, Subnets=resource.properties["Subnets"])
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("elbv2").delete_load_balancer(LoadBalancerArn=physical.id)


def _set_attributes(aws: Aws, arn: str, resource: LogicalResource) -> None:
    if attributes := resource.properties.get("LoadBalancerAttributes"):
        aws.client("elbv2").modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=attributes)
