"""Containers of multi-node jobs with EFA whose locked memory is limited, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import containers_for_efa
from trainyard.rules.cloudformation.template import members, number

_UNLIMITED = -1


def check(document: Document) -> Iterator[Problem]:
    """Yield containers for EFA without memlock, or with one that is a number."""
    for container in containers_for_efa(document):
        path, written = (*container.path, "Ulimits"), container.written.get("Ulimits")
        if written is not None and not isinstance(written, tuple):
            continue  # made by a function
        limits = [
            (place, limit)
            for place, limit in members(document, written, path)
            if isinstance(limit, dict) and limit.get("Name") == "memlock"
        ]
        if not limits:
            message = (
                f"containers of {container.resource} have no memlock among their Ulimits, and their nodes have EFA"
            )
            yield Problem(container.path, message)
        for place, limit in limits:
            soft = number(limit.get("SoftLimit"))
            if soft is not None and soft != _UNLIMITED:
                message = f"containers of {container.resource} may lock {soft:.0f} bytes of memory, and EFA needs more"
                yield Problem((*place, "SoftLimit"), message)


RULE = DocumentRule(
    severity="error",
    title="Locked memory that EFA lacks",
    rationale=(
        "EFA reaches memory that a process has locked, and by default a container may lock little: registration fails, "
        "and with it the job, or NCCL falls back to sockets."
    ),
    remedy="add {Name: memlock, SoftLimit: -1, HardLimit: -1} to Ulimits",
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
              LinuxParameters: {Devices: [{HostPath: /dev/infiniband/uverbs0}]}
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
