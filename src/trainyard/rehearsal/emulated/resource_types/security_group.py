"""A security group, with the rules that are written in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted
from trainyard.rehearsal.emulated.security_group_rules import OPEN_EGRESS, authorize, revoke

TYPE = "AWS::EC2::SecurityGroup"
_RULES = {"ingress": "SecurityGroupIngress", "egress": "SecurityGroupEgress"}


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and its rules."""
    properties = wanted.properties
    answer = aws.client("ec2").create_security_group(
        GroupName=properties.get("GroupName", wanted.name),
        Description=properties["GroupDescription"],
        **picked(properties, "VpcId"),
        **tag_specifications("security-group", wanted),
    )
    group = answer["GroupId"]
    if _rules(properties, "egress"):
        revoke(aws, group, "egress", OPEN_EGRESS)
    for direction in _RULES:
        for rule in _rules(properties, direction):
            authorize(aws, group, direction, rule)
    return Made(group, {"GroupId": group, "Id": group, "VpcId": properties.get("VpcId")})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change its rules; everything else makes a new one."""
    former = made.wanted.properties if made.wanted else {}
    for direction in _RULES:
        before, after = _rules(former, direction), _rules(wanted.properties, direction)
        for rule in before:
            if rule not in after:
                revoke(aws, made.id, direction, rule)
        for rule in after:
            if rule not in before:
                authorize(aws, made.id, direction, rule)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_security_group(GroupId=made.id)


def _rules(properties: Mapping[str, Any], direction: str) -> list[Mapping[str, Any]]:
    return list(properties.get(_RULES[direction]) or [])
