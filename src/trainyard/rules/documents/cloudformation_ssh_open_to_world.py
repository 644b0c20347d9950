"""SSH that the whole internet may try, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem
from trainyard.rules.cloudformation.template import members, number, resources, values
from trainyard.rules.documents import DocumentRule

_WORLD = {"CidrIp": "0.0.0.0/0", "CidrIpv6": "::/0"}
_SSH = 22


def check(document: Document) -> Iterator[Problem]:
    """Yield rules of security groups that let every address reach port 22."""
    for path, rule, name in _rules(document):
        if not _reaches_ssh(rule):
            continue
        for key, world in _WORLD.items():
            for place, cidr in values(document, rule.get(key), (*path, key)):
                if cidr == world:
                    yield Problem(place, f"{name} lets {world} try SSH")


def _rules(document: Document) -> Iterator[tuple[Path, Mapping[str, Any], str]]:
    for group in resources(document, "AWS::EC2::SecurityGroup"):
        path = (*group.path, "Properties", "SecurityGroupIngress")
        for place, rule in members(document, group.properties.get("SecurityGroupIngress"), path):
            if isinstance(rule, dict):
                yield place, rule, group.name
    for rule in resources(document, "AWS::EC2::SecurityGroupIngress"):
        yield (*rule.path, "Properties"), rule.properties, rule.name


def _reaches_ssh(rule: Mapping[str, Any]) -> bool:
    if str(rule.get("IpProtocol")) == "-1":
        return True
    first, last = number(rule.get("FromPort")), number(rule.get("ToPort"))
    return first is not None and last is not None and first <= _SSH <= last


RULE = DocumentRule(
    kind="cloudformation",
    severity="warning",
    title="SSH open to the world",
    rationale="Open SSH ports are probed within minutes, and a stolen key then runs somebody else's jobs.",
    remedy="name your own addresses, or none: SSM Session Manager opens a shell without any open port",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-rules-reference.html",
    bad="""\
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0}]
""",
    good="""\
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 203.0.113.7/32}]
""",
    check=check,
)
