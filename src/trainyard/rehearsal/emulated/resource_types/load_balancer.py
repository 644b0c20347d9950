"""A load balancer for applications or networks."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::ElasticLoadBalancingV2::LoadBalancer"
_NAMES = ("IpAddressType", "Scheme", "SecurityGroups", "SubnetMappings", "Subnets", "Type")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and set its attributes."""
    elb = aws.client("elbv2")
    name = wanted.properties.get("Name", wanted.name)
    answer = elb.create_load_balancer(Name=name, **picked(wanted.properties, *_NAMES), **with_tags(wanted))
    balancer = answer["LoadBalancers"][0]
    arn = balancer["LoadBalancerArn"]
    _set_attributes(aws, arn, wanted)
    attributes = {
        "LoadBalancerArn": arn,
        "LoadBalancerFullName": arn.partition(":loadbalancer/")[2],
        "LoadBalancerName": balancer["LoadBalancerName"],
        "DNSName": balancer["DNSName"],
        "CanonicalHostedZoneID": balancer.get("CanonicalHostedZoneId", ""),
        "SecurityGroups": balancer.get("SecurityGroups", []),
    }
    return Made(arn, attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change its attributes, subnets and security groups."""
    elb = aws.client("elbv2")
    _set_attributes(aws, made.id, wanted)
    if "SecurityGroups" in wanted.properties:
        elb.set_security_groups(LoadBalancerArn=made.id, SecurityGroups=wanted.properties["SecurityGroups"])
    if "Subnets" in wanted.properties:
        elb.set_subnets(LoadBalancerArn=made.id, Subnets=wanted.properties["Subnets"])
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("elbv2").delete_load_balancer(LoadBalancerArn=made.id)


def _set_attributes(aws: Aws, arn: str, wanted: Wanted) -> None:
    if attributes := wanted.properties.get("LoadBalancerAttributes"):
        aws.client("elbv2").modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=attributes)
