"""SSH that the whole internet may try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.template import members, number, resources, values
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec

_SSH = 22
_WORLD = {"CidrIp": "0.0.0.0/0", "CidrIpv6": "::/0"}
# Each of them lets eksctl open the port, where the file does not say otherwise.
_KEYS = ("publicKeyName", "publicKeyPath", "publicKey")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield address ranges that are open to the world."""
    for index, cidr in enumerate(spec.access.allow_from):
        if is_open_to_world(cidr):
            yield Problem(("access", "allow_from", index), f"{cidr} lets much of the internet try SSH")


def is_open_to_world(cidr: str) -> bool:
    """Return whether a range is wider than any network that one organisation has, which are /8 at most."""
    return int(cidr.partition("/")[2]) < 8


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield rules of security groups that let every address reach port 22."""
    for path, rule, name in _rules(document):
        if not _reaches_ssh(rule):
            continue
        for key, world in _WORLD.items():
            for place, cidr in values(document, rule.get(key), (*path, key)):
                if cidr == world:
                    yield Problem(place, f"{name} lets {world} try SSH")


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups in public subnets that allow SSH, which a key does by itself, and name no source of it."""
    for group in node_groups(document):
        ssh = mapping_in(group.written, "ssh")
        allowed = ssh.get("allow") is True or (ssh.get("allow") is None and any(ssh.get(key) for key in _KEYS))
        private = group.written.get("privateNetworking") is True
        if allowed and not private and not ssh.get("sourceSecurityGroupIds"):
            message = f"eksctl opens port 22 of node group {group.name!r} to 0.0.0.0/0 and ::/0"
            yield Problem((*group.path, "ssh"), message)


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


RULE = Rule(
    severity="warning",
    title="SSH open to the world",
    rationale=(
        "Open SSH ports are probed within minutes. A cluster with a stolen key runs somebody else's jobs at tens "
        "of dollars an hour."
    ),
    remedy="name your own addresses, or none: SSM Session Manager opens a shell without any open port",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-rules-reference.html",
    bad="""\
access: {allow_from: [0.0.0.0/0]}
""",
    good="""\
access: {allow_from: [203.0.113.7/32]}
""",
    check=check,
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-ssh-open-to-world",
    check_cloudformation,
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
)
EKSCTL = RULE.in_documents(
    "eksctl-ssh-open-to-world",
    check_eksctl,
    rationale=(
        "Where SSH is allowed, or a key is named, eksctl opens port 22 of nodes without private networking to every "
        f"address. {RULE.rationale}"
    ),
    remedy="write privateNetworking: true, or enableSsm: true in place of a key, or name sourceSecurityGroupIds",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/nodegroup.go",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, ssh: {allow: true}}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, privateNetworking: true, ssh: {enableSsm: true}}
""",
)
