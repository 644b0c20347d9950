"""A listener of a load balancer."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::ElasticLoadBalancingV2::Listener"
_NAMES = ("AlpnPolicy", "Certificates", "DefaultActions", "Port", "Protocol", "SslPolicy")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it. HTTPS and TLS need a certificate: the API refuses them without."""
    asked = picked(wanted.properties, "LoadBalancerArn", *_NAMES)
    arn = aws.client("elbv2").create_listener(**asked, **with_tags(wanted))["Listeners"][0]["ListenerArn"]
    return Made(arn, {"ListenerArn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change what it does."""
    aws.client("elbv2").modify_listener(ListenerArn=made.id, **picked(wanted.properties, *_NAMES))
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("elbv2").delete_listener(ListenerArn=made.id)
