"""A rule of a security group that is a resource of its own: what may come in."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource
from trainyard.rehearsal.emulated.security_group_rules import authorize, revoke

TYPE = "AWS::EC2::SecurityGroupIngress"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Add it."""
    rule = authorize(aws, resource.properties["GroupId"], "ingress", resource.properties)
    return PhysicalResource(rule, {"Id": rule})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Take it away."""
    if physical.logical is not None:
        revoke(aws, physical.logical.properties["GroupId"], "ingress", physical.logical.properties)
