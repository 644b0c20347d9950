"""A security group, with the rules that are written in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource
from trainyard.rehearsal.emulated.security_group_rules import OPEN_EGRESS, authorize, revoke

TYPE = "AWS::EC2::SecurityGroup"
_RULES = {"ingress": "SecurityGroupIngress", "egress": "SecurityGroupEgress"}


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and its rules."""
    properties = resource.properties
    answer = aws.client("ec2").create_security_group(
        GroupName=properties.get("GroupName", resource.name),
        Description=properties["GroupDescription"],
        **picked(properties, "VpcId"),
        **tag_specifications("security-group", resource),
    )
    group = answer["GroupId"]
    if _rules(properties, "egress"):
        revoke(aws, group, "egress", OPEN_EGRESS)
    for direction in _RULES:
        for rule in _rules(properties, direction):
            authorize(aws, group, direction, rule)
    return PhysicalResource(group, {"GroupId": group, "Id": group, "VpcId": properties.get("VpcId")})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its rules; everything else makes a new one."""
    former = physical.logical.properties if physical.logical else {}
    for direction in _RULES:
        before, after = _rules(former, direction), _rules(resource.properties, direction)
        for rule in before:
            if rule not in after:
                revoke(aws, physical.id, direction, rule)
        for rule in after:
            if rule not in before:
                authorize(aws, physical.id, direction, rule)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("ec2").delete_security_group(GroupId=physical.id)


def _rules(properties: Mapping[str, Any], direction: str) -> list[Mapping[str, Any]]:
    return list(properties.get(_RULES[direction]) or [])
