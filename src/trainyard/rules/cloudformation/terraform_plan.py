"""A Terraform plan as a CloudFormation template, so that the same rules judge the same resources, with their places.

`terraform show -json PLAN` prints it. What only an apply makes known is not in it, and so in no template either.
https://developer.hashicorp.com/terraform/internals/json-format (read 2026-11-23)
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from trainyard.document.node import Document, YamlNode


class _Mapping(NamedTuple):
    """How a resource of the provider for AWS is written in a template; other keys are spelt otherwise alone."""

    type: str
    within: str | None = None
    """The property that holds all its keys."""
    keys: Mapping[str, str] = MappingProxyType({})


_RULE_KEYS = MappingProxyType(
    {
        "protocol": "IpProtocol", "ip_protocol": "IpProtocol", "cidr_ipv4": "CidrIp", "cidr_ipv6": "CidrIpv6",
        "security_group_id": "GroupId",
    }
)  # fmt: skip
# https://registry.terraform.io/providers/hashicorp/aws/latest/docs
_TYPES = {
    "aws_launch_template": _Mapping(
        "AWS::EC2::LaunchTemplate",
        "LaunchTemplateData",
        MappingProxyType({"vpc_security_group_ids": "SecurityGroupIds", "security_groups": "Groups"}),
    ),
    "aws_security_group": _Mapping(
        "AWS::EC2::SecurityGroup",
        keys=MappingProxyType({**_RULE_KEYS, "ingress": "SecurityGroupIngress", "egress": "SecurityGroupEgress"}),
    ),
    "aws_vpc_security_group_ingress_rule": _Mapping("AWS::EC2::SecurityGroupIngress", keys=_RULE_KEYS),
    "aws_eks_node_group": _Mapping("AWS::EKS::Nodegroup"),
    "aws_batch_compute_environment": _Mapping(
        "AWS::Batch::ComputeEnvironment",
        keys=MappingProxyType({"instance_type": "InstanceTypes", "max_vcpus": "MaxvCpus", "min_vcpus": "MinvCpus"}),
    ),
    "aws_lambda_function": _Mapping("AWS::Lambda::Function"),
    "aws_iam_role": _Mapping("AWS::IAM::Role"),
    "aws_lb": _Mapping(
        "AWS::ElasticLoadBalancingV2::LoadBalancer", keys=MappingProxyType({"load_balancer_type": "Type"})
    ),
}
# Blocks that Terraform writes as lists of one, and CloudFormation as a mapping.
_BLOCKS = frozenset({
    "metadata_options", "instance_market_options", "capacity_reservation_specification",
    "capacity_reservation_target", "scaling_config", "compute_resources", "launch_template", "placement",
})  # fmt: skip
_RANGES = {"cidr_blocks": "CidrIp", "ipv6_cidr_blocks": "CidrIpv6"}


def template_of_plan(plan: Document) -> Document:
    """Return a template with what a plan makes, as far as it has a counterpart there."""
    resources = dict(_resources(plan.root.at(("planned_values", "root_module"))))
    return Document(plan.file, _mapping_node({"Resources": _mapping_node(resources, plan.root)}, plan.root))


def _resources(module: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    for resource in _list_at(module, "resources"):
        values = resource.value if isinstance(resource.value, dict) else {}
        mapping = _TYPES.get(str(values.get("type")))
        if mapping is not None and isinstance(values.get("values"), dict):
            properties = _converted(resource.at(("values",)), mapping)
            if mapping.within:
                properties = _mapping_node({mapping.within: properties}, properties)
            kind = YamlNode(mapping.type, resource.place)
            yield str(values.get("address")), _mapping_node({"Type": kind, "Properties": properties}, resource)
    for child in _list_at(module, "child_modules"):
        yield from _resources(child)


def _converted(node: YamlNode, mapping: _Mapping) -> YamlNode:
    if isinstance(node.value, dict) and isinstance(node.members, Mapping):
        members = {}
        for key, member in node.members.items():
            if member.value is None or member.value == ():
                continue
            inner = member.members[0] if key in _BLOCKS and isinstance(member.members, list) else member
            converted = _decoded(inner) if key == "user_data" else _converted(inner, mapping)
            members[mapping.keys.get(key, _pascal_case(key))] = converted
        return _mapping_node(members, node)
    if isinstance(node.members, list):
        return _list_node([one for member in node.members for one in _by_range(member, mapping)], node)
    return node


def _by_range(rule: YamlNode, mapping: _Mapping) -> Iterator[YamlNode]:
    """Yield a member of a list: a rule of a security group once for each range of addresses that it has."""
    converted = _converted(rule, mapping)
    ranges = [(name, one) for key, name in _RANGES.items() for one in _list_at(rule, key)]
    if not ranges or not isinstance(converted.members, Mapping):
        yield converted
        return
    for name, one in ranges:
        yield _mapping_node({**dict(converted.members), name: one}, converted)


def _decoded(node: YamlNode) -> YamlNode:
    try:
        text = base64.b64decode(str(node.value), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return node
    return node._replace(value=text)


def _pascal_case(key: str) -> str:
    return "".join(part.capitalize() for part in key.split("_"))


def _list_at(node: YamlNode, key: str) -> list[YamlNode]:
    member = node.members.get(key) if isinstance(node.members, Mapping) else None
    return member.members if member is not None and isinstance(member.members, list) else []


def _mapping_node(members: dict[str, YamlNode], origin: YamlNode) -> YamlNode:
    value = {key: member.value for key, member in members.items()}
    return YamlNode(value, origin.place, 1 + sum(member.size for member in members.values()), members)


def _list_node(members: list[YamlNode], origin: YamlNode) -> YamlNode:
    value = tuple(member.value for member in members)
    return YamlNode(value, origin.place, 1 + sum(member.size for member in members), members)
