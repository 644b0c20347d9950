"""Security groups, with the rules that are written in them and those that are resources of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    tag_specifications,
    written_properties,
)

_RULES = {"ingress": "SecurityGroupIngress", "egress": "SecurityGroupEgress"}
# Every security group starts with it, and CloudFormation takes it away where the template writes rules of its own:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-securitygroup.html
_OPEN_EGRESS: Mapping[str, Any] = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}

_WRITTEN: dict[str, str] = {}
"""Descriptions of the rules that templates wrote, by id: moto forgets those of rules about other groups."""


def _create_security_group(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and its rules."""
    properties = resource.properties
    answer = aws.client("ec2").create_security_group(
        GroupName=properties.get("GroupName", resource.name),
        Description=properties["GroupDescription"],
        **written_properties(properties, "VpcId"),
        **tag_specifications("security-group", resource),
    )
    group = answer["GroupId"]
    if _rules(properties, "egress"):
        _revoke(aws, group, "egress", _OPEN_EGRESS)
    for direction in _RULES:
        for rule in _rules(properties, direction):
            _authorize(aws, group, direction, rule)
    return PhysicalResource(group, {"GroupId": group, "Id": group, "VpcId": properties.get("VpcId")})


def _update_security_group(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its rules; everything else makes a new one."""
    former = physical.logical.properties if physical.logical else {}
    for direction in _RULES:
        before, after = _rules(former, direction), _rules(resource.properties, direction)
        for rule in before:
            if rule not in after:
                _revoke(aws, physical.id, direction, rule)
        for rule in after:
            if rule not in before:
                _authorize(aws, physical.id, direction, rule)
    return physical


def _delete_security_group(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("ec2").delete_security_group(GroupId=physical.id)


def _read_security_group(aws: Aws, physical: PhysicalResource) -> Mapping[str, Any] | None:
    """Return its rules as templates write them; None where it is gone."""
    groups = [{"Name": "group-id", "Values": [physical.id]}]
    if not aws.client("ec2").describe_security_groups(Filters=groups)["SecurityGroups"]:
        return None
    described = aws.client("ec2").describe_security_group_rules(Filters=groups)["SecurityGroupRules"]
    return {
        name: [_as_written(rule) for rule in described if rule["IsEgress"] == (direction == "egress")]
        for direction, name in _RULES.items()
    }


def _read_rule(aws: Aws, physical: PhysicalResource) -> Mapping[str, Any] | None:
    """Return a rule that is a resource of its own; None where it is gone."""
    of_id = [{"Name": "security-group-rule-id", "Values": [physical.id]}]
    described = aws.client("ec2").describe_security_group_rules(Filters=of_id)["SecurityGroupRules"]
    return next((_as_written(rule) for rule in described if rule["SecurityGroupRuleId"] == physical.id), None)


def _as_written(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule of EC2 by the names that it has in templates."""
    end = "Destination" if rule["IsEgress"] else "Source"
    names = {"IpProtocol": "IpProtocol", "FromPort": "FromPort", "ToPort": "ToPort", "CidrIpv4": "CidrIp",
             "CidrIpv6": "CidrIpv6", "PrefixListId": f"{end}PrefixListId", "Description": "Description"}  # fmt: skip
    rule = {**rule, "Description": rule.get("Description") or _WRITTEN.get(rule["SecurityGroupRuleId"])}
    written = {written: rule[name] for name, written in names.items() if rule.get(name) not in (None, "")}
    other = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
    return {**written, f"{end}SecurityGroupId": other} if other else written


def _rules(properties: Mapping[str, Any], direction: str) -> list[Mapping[str, Any]]:
    return list(properties.get(_RULES[direction]) or [])


def _create_security_group_egress(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Add it, in the place of the rule that every group starts with."""
    _drop_open_egress(aws, resource.properties["GroupId"])
    rule = _authorize(aws, resource.properties["GroupId"], "egress", resource.properties)
    return PhysicalResource(rule, {"Id": rule})


def _delete_security_group_egress(aws: Aws, physical: PhysicalResource) -> None:
    """Take it away."""
    if physical.logical is not None:
        _revoke(aws, physical.logical.properties["GroupId"], "egress", physical.logical.properties)


def _create_security_group_ingress(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Add it."""
    rule = _authorize(aws, resource.properties["GroupId"], "ingress", resource.properties)
    return PhysicalResource(rule, {"Id": rule})


def _delete_security_group_ingress(aws: Aws, physical: PhysicalResource) -> None:
    """Take it away."""
    if physical.logical is not None:
        _revoke(aws, physical.logical.properties["GroupId"], "ingress", physical.logical.properties)


def _permission(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule as EC2's calls take it."""
    described = {"Description": rule["Description"]} if "Description" in rule else {}
    ports = {name: rule[name] for name in ("FromPort", "ToPort") if name in rule}
    ends = {
        "IpRanges": ("CidrIp", rule.get("CidrIp")),
        "Ipv6Ranges": ("CidrIpv6", rule.get("CidrIpv6")),
        "PrefixListIds": ("PrefixListId", rule.get("SourcePrefixListId") or rule.get("DestinationPrefixListId")),
        "UserIdGroupPairs": ("GroupId", rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")),
    }
    chosen = {name: [{key: value, **described}] for name, (key, value) in ends.items() if value}
    return {"IpProtocol": str(rule["IpProtocol"]), **ports, **chosen}


def _authorize(aws: Aws, group: str, direction: str, rule: Mapping[str, Any]) -> str:
    """Add a rule, ``ingress`` or ``egress``; return its id."""
    call = getattr(aws.client("ec2"), f"authorize_security_group_{direction}")
    answer = call(GroupId=group, IpPermissions=[_permission(rule)])
    name = str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])
    _WRITTEN[name] = str(rule.get("Description", ""))
    return name


def _drop_open_egress(aws: Aws, group: str) -> None:
    """Take away the rule that EC2 gave the group, unless a template wrote it: the first rule for egress replaces it.

    ParallelCluster's template relies on it: ComputeSecurityGroupNormalEgress in pcluster/templates/cluster_stack.py of
    https://pypi.org/project/aws-parallelcluster/3.16.1/ writes the same rule, after another one.
    """
    of_group = [{"Name": "group-id", "Values": [group]}]
    for rule in aws.client("ec2").describe_security_group_rules(Filters=of_group)["SecurityGroupRules"]:
        is_open = rule["IsEgress"] and rule["IpProtocol"] == "-1" and rule.get("CidrIpv4") == "0.0.0.0/0"
        if is_open and rule["SecurityGroupRuleId"] not in _WRITTEN:
            _revoke(aws, group, "egress", _OPEN_EGRESS)


def _revoke(aws: Aws, group: str, direction: str, rule: Mapping[str, Any]) -> None:
    """Take a rule away."""
    call = getattr(aws.client("ec2"), f"revoke_security_group_{direction}")
    call(GroupId=group, IpPermissions=[_permission(rule)])


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::EC2::SecurityGroup": ResourceType(
        _create_security_group, _delete_security_group, _update_security_group, read=_read_security_group
    ),
    "AWS::EC2::SecurityGroupEgress": ResourceType(
        _create_security_group_egress, _delete_security_group_egress, read=_read_rule
    ),
    "AWS::EC2::SecurityGroupIngress": ResourceType(
        _create_security_group_ingress, _delete_security_group_ingress, read=_read_rule
    ),
}
