"""Spot instances for multi-node jobs of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.batch import compute_environments, multi_node_containers
from trainyard.rules.cloudformation.template import values
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of Batch that are to run on spot."""
    for group in spec.node_groups():
        if group.capacity_kind == "spot":
            problem = f"queue {group.queue.name!r} runs {group.instance_type} on spot, where multi-node jobs do not run"
            yield Problem((*group.path, "capacity"), problem)


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield environments of another type than EC2 beside a multi-node job definition."""
    if not any(multi_node_containers(document)):
        return
    for environment in compute_environments(document):
        for path, type_ in values(document, environment.written.get("Type"), (*environment.path, "Type")):
            if isinstance(type_, str) and type_ != "EC2":
                message = f"{environment.resource} is of type {type_}, on which multi-node jobs do not run"
                yield Problem(path, message)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Spot for multi-node jobs",
    rationale=(
        "AWS Batch runs no multi-node job on a compute environment of Spot Instances or Fargate: it would wait as "
        "RUNNABLE for ever, and nothing says why. One Spot instance that is taken away would end the job on all the "
        "others."
    ),
    remedy="write capacity: on-demand, or name a reservation or a Capacity Block",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}, capacity: spot}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}, capacity: on-demand}]
""",
    check=check,
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-spot-for-multi-node-jobs",
    check_cloudformation,
    title="Spot or Fargate for multi-node jobs",
    remedy="write Type: EC2",
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
)
