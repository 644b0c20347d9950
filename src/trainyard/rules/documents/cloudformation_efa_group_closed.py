"""Security groups of nodes with EFA that do not let the nodes talk to each other, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import EFA_KINDS, Part, interfaces, launch_templates
from trainyard.rules.cloudformation.template import references_in, resources

# Which resource opens a group in a direction, and the key of the group at the other end.
_DIRECTIONS = {
    "in": ("AWS::EC2::SecurityGroupIngress", "SourceSecurityGroupId"),
    "out": ("AWS::EC2::SecurityGroupEgress", "DestinationSecurityGroupId"),
}
_IN_WORDS = {"in": "from", "out": "to"}


def check(document: Document) -> Iterator[Problem]:
    """Yield launch templates with EFA none of whose groups, all of the same template, is open to itself."""
    own = {group.name for group in resources(document, "AWS::EC2::SecurityGroup")}
    for template in launch_templates(document):
        groups = _groups(document, template)
        if not groups or not groups <= own:
            continue
        missing = [way for way in _DIRECTIONS if not any(_is_open(document, group, way) for group in groups)]
        if missing:
            ways = " and ".join(_IN_WORDS[way] for way in missing)
            names = " and ".join(sorted(groups))
            yield Problem(template.path, f"{template.resource} has EFA, and {names} allows no traffic {ways} itself")


def _groups(document: Document, template: Part) -> frozenset[str]:
    """Return the names that the groups of EFA interfaces are written with; empty where there is no EFA."""
    names: set[str] = set()
    for _, interface in interfaces(document, template):
        if interface.get("InterfaceType") in EFA_KINDS:
            names |= references_in(interface.get("Groups")) or {""}
    return frozenset(names)


def _is_open(document: Document, group: str, way: str) -> bool:
    type_, key = _DIRECTIONS[way]
    return any(
        group in references_in(rule.properties.get("GroupId")) and _is_to(rule.properties, key, group)
        for rule in resources(document, type_)
    )


def _is_to(rule: Mapping[str, Any], key: str, group: str) -> bool:
    protocol = rule.get("IpProtocol")
    # One that a function makes may be any.
    return group in references_in(rule.get(key)) and (isinstance(protocol, dict) or str(protocol) == "-1")


RULE = DocumentRule(
    severity="error",
    title="Security group that keeps EFA in",
    rationale=(
        "EFA's traffic has no addresses, so rules for addresses do not concern it: a group has to allow all traffic "
        "from itself and to itself. Without the second one, which is easily forgotten because 0.0.0.0/0 seems to have "
        "it, jobs hang or fail when the first nodes meet."
    ),
    remedy="add SecurityGroupIngress and SecurityGroupEgress with IpProtocol -1 and the group itself at the other end",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [!Ref Nodes]}]
  Nodes: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: nodes}}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties: {GroupId: !Ref Nodes, IpProtocol: -1, SourceSecurityGroupId: !Ref Nodes}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [!Ref Nodes]}]
  Nodes: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: nodes}}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties: {GroupId: !Ref Nodes, IpProtocol: -1, SourceSecurityGroupId: !Ref Nodes}
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties: {GroupId: !Ref Nodes, IpProtocol: -1, DestinationSecurityGroupId: !Ref Nodes}
""",
    check=check,
)
