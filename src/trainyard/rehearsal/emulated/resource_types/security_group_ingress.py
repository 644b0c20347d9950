"""A rule of a security group that is a resource of its own: what may come in."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted
from trainyard.rehearsal.emulated.security_group_rules import authorize, revoke

TYPE = "AWS::EC2::SecurityGroupIngress"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Add it."""
    rule = authorize(aws, wanted.properties["GroupId"], "ingress", wanted.properties)
    return Made(rule, {"Id": rule})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    if made.wanted is not None:
        revoke(aws, made.wanted.properties["GroupId"], "ingress", made.wanted.properties)
