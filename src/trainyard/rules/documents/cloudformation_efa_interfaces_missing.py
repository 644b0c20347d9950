"""Fewer EFA interfaces than the instance type has, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import EFA_KINDS, interface_lists


def check(document: Document) -> Iterator[Problem]:
    """Yield lists with some EFA interfaces and not all that AWS recommends for the one type that they are for."""
    for template, path, listed, facts in interface_lists(document):
        if facts is None or not facts.efa_interfaces:
            continue
        most = facts.efa_interfaces if facts.efa_cards is None else len(facts.efa_cards)
        written = sum(interface.get("InterfaceType") in EFA_KINDS for interface in listed)
        if 0 < written < most:
            yield Problem(path, f"{template} gives {facts.name} {written} EFA interfaces, and it has {most}")


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="EFA interfaces that are left out",
    rationale=(
        "The bandwidth of an instance is that of its EFA interfaces together: with 8 of 32, NCCL gets a quarter of "
        "what is paid for, and nothing fails."
    ),
    remedy="write one for each card that takes EFA: `trainyard instances TYPE` shows them",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p4d.24xlarge
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa}
          - {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: efa}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p4d.24xlarge
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa}
          - {NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: efa}
          - {NetworkCardIndex: 2, DeviceIndex: 1, InterfaceType: efa}
          - {NetworkCardIndex: 3, DeviceIndex: 1, InterfaceType: efa}
""",
    check=check,
)
