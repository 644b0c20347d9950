"""Containers of multi-node jobs that do not see the EFA of their node, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import INFINIBAND, containers_for_efa, sees


def check(document: Document) -> Iterator[Problem]:
    """Yield containers for EFA without devices below /dev/infiniband."""
    for container in containers_for_efa(document):
        # A privileged container sees every device.
        if container.written.get("Privileged") is not True and not sees(document, container, INFINIBAND):
            message = f"containers of {container.resource} have no device of {INFINIBAND}, and their nodes have EFA"
            yield Problem(container.path, message)


RULE = DocumentRule(
    severity="error",
    title="Containers that do not see EFA",
    rationale=(
        "AWS Batch passes no device into a container by itself. Without /dev/infiniband/uverbs0 and its sisters, NCCL "
        "finds no EFA and falls back to sockets: the job runs, several times slower."
    ),
    remedy="list /dev/infiniband/uverbs0 and so on, one for each EFA, in LinuxParameters.Devices",
    source="https://docs.aws.amazon.com/batch/latest/userguide/efa.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa}]
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties:
          - TargetNodes: "0:"
            Container:
              Image: registry.example.com/train:1.0
              Ulimits: [{Name: memlock, SoftLimit: -1, HardLimit: -1}]
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa}]
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties:
          - TargetNodes: "0:"
            Container:
              Image: registry.example.com/train:1.0
              Ulimits: [{Name: memlock, SoftLimit: -1, HardLimit: -1}]
              LinuxParameters: {Devices: [{HostPath: /dev/infiniband/uverbs0}]}
""",
    check=check,
)
