"""Instance types without room for the interface of a container, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.cloudformation.batch import compute_environments, instance_types, multi_node_containers
from trainyard.rules.documents import DocumentRule


def check(document: Document) -> Iterator[Problem]:
    """Yield types of environments, beside a multi-node job definition, whose first card holds a single interface."""
    if not any(multi_node_containers(document)):
        return
    for environment in compute_environments(document):
        for path, facts in instance_types(document, environment):
            if facts.cards and facts.cards[0].max_interfaces < 2:
                message = f"{facts.name} of {environment.resource} has no room for the interface of a container"
                yield Problem(path, message)


RULE = DocumentRule(
    kind="cloudformation",
    severity="error",
    title="Instance type without multi-node jobs",
    rationale=(
        "Containers of multi-node jobs bring a network interface of their own, which has to fit on the first network "
        "card beside that of the instance. Where that card holds one, the job waits as RUNNABLE."
    ),
    remedy="choose a type whose first card holds two: `trainyard instances TYPE` shows it",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [hpc6id.32xlarge], MaxvCpus: 192}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0"}}]
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], MaxvCpus: 192}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      NodeProperties:
        NodeRangeProperties: [{TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0"}}]
""",
    check=check,
)
