"""A compute environment on which multi-node jobs do not run, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.cloudformation.batch import compute_environments, multi_node_containers
from trainyard.rules.cloudformation.template import values
from trainyard.rules.documents import DocumentRule


def check(document: Document) -> Iterator[Problem]:
    """Yield environments of another type than EC2 beside a multi-node job definition."""
    if not any(multi_node_containers(document)):
        return
    for environment in compute_environments(document):
        for path, type_ in values(document, environment.written.get("Type"), (*environment.path, "Type")):
            if isinstance(type_, str) and type_ != "EC2":
                message = f"{environment.resource} is of type {type_}, on which multi-node jobs do not run"
                yield Problem(path, message)


RULE = DocumentRule(
    kind="cloudformation",
    severity="error",
    title="Spot or Fargate for multi-node jobs",
    rationale=(
        "AWS Batch runs no multi-node job on Spot Instances or on Fargate: it would wait as RUNNABLE for ever, and "
        "nothing says why."
    ),
    remedy="write Type: EC2",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources: {Type: SPOT, InstanceTypes: [p4d.24xlarge], MaxvCpus: 192}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0"}}]
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], MaxvCpus: 192}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0"}}]
""",
    check=check,
)
