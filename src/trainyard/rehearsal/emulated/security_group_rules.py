"""Rules of security groups, as CloudFormation and as EC2 write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws

# Every security group starts with it, and CloudFormation takes it away where the template writes rules of its own:
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-securitygroup.html
OPEN_EGRESS: Mapping[str, Any] = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}

_WRITTEN: set[str] = set()
"""Rules that templates wrote, by id."""


def permission(rule: Mapping[str, Any]) -> dict[str, Any]:
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


def authorize(aws: Aws, group: str, direction: str, rule: Mapping[str, Any]) -> str:
    """Add a rule, ``ingress`` or ``egress``; return its id."""
    call = getattr(aws.client("ec2"), f"authorize_security_group_{direction}")
    answer = call(GroupId=group, IpPermissions=[permission(rule)])
    name = str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])
    _WRITTEN.add(name)
    return name


def drop_open_egress(aws: Aws, group: str) -> None:
    """Take away the rule that EC2 gave the group, unless a template wrote it: the first rule for egress replaces it.

    ParallelCluster's template relies on it: ComputeSecurityGroupNormalEgress in pcluster/templates/cluster_stack.py of
    https://pypi.org/project/aws-parallelcluster/3.16.1/ writes the same rule, after another one.
    """
    of_group = [{"Name": "group-id", "Values": [group]}]
    for rule in aws.client("ec2").describe_security_group_rules(Filters=of_group)["SecurityGroupRules"]:
        is_open = rule["IsEgress"] and rule["IpProtocol"] == "-1" and rule.get("CidrIpv4") == "0.0.0.0/0"
        if is_open and rule["SecurityGroupRuleId"] not in _WRITTEN:
            revoke(aws, group, "egress", OPEN_EGRESS)


def revoke(aws: Aws, group: str, direction: str, rule: Mapping[str, Any]) -> None:
    """Take a rule away."""
    call = getattr(aws.client("ec2"), f"revoke_security_group_{direction}")
    call(GroupId=group, IpPermissions=[permission(rule)])
