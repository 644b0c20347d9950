"""A rule of a security group that is a resource of its own: what may go out."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource
from trainyard.rehearsal.emulated.security_group_rules import authorize, drop_open_egress, revoke

TYPE = "AWS::EC2::SecurityGroupEgress"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Add it, in the place of the rule that every group starts with."""
    drop_open_egress(aws, resource.properties["GroupId"])
    rule = authorize(aws, resource.properties["GroupId"], "egress", resource.properties)
    return PhysicalResource(rule, {"Id": rule})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Take it away."""
    if physical.logical is not None:
        revoke(aws, physical.logical.properties["GroupId"], "egress", physical.logical.properties)
