"""A rule of a security group that is a resource of its own: what may go out."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted
from trainyard.rehearsal.emulated.security_group_rules import authorize, drop_open_egress, revoke

TYPE = "AWS::EC2::SecurityGroupEgress"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Add it, in the place of the rule that every group starts with."""
    drop_open_egress(aws, wanted.properties["GroupId"])
    rule = authorize(aws, wanted.properties["GroupId"], "egress", wanted.properties)
    return Made(rule, {"Id": rule})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    if made.wanted is not None:
        revoke(aws, made.wanted.properties["GroupId"], "egress", made.wanted.properties)
