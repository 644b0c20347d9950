"""Multi-node jobs that want a type which no compute environment of their CloudFormation template has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import compute_environments, multi_node_containers
from trainyard.rules.cloudformation.template import members, values

# What these words stand for are families of general types.
# https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html (read 2026-11-22)
_GENERAL, _GENERAL_FAMILIES = ("optimal", "default_"), ("c", "m", "r")


def check(document: Document) -> Iterator[Problem]:
    """Yield instance types of containers that are in no list of the template, where every list is written out."""
    offered = [
        name
        for environment in compute_environments(document)
        for _, name in members(document, environment.written.get("InstanceTypes"), (*environment.path, "InstanceTypes"))
    ]
    if not offered or not all(isinstance(name, str) for name in offered):
        return
    for container in multi_node_containers(document):
        path = (*container.path, "InstanceType")
        for place, instance_type in values(document, container.written.get("InstanceType"), path):
            if isinstance(instance_type, str) and not any(_offers(name, instance_type) for name in offered):
                wish = f"{container.resource} wants {instance_type}"
                yield Problem(place, f"{wish}, and compute environments have {', '.join(offered)}")


def _offers(name: Any, instance_type: str) -> bool:
    if name.startswith(_GENERAL):
        return instance_type.startswith(_GENERAL_FAMILIES)
    return name in (instance_type, instance_type.partition(".")[0])


RULE = DocumentRule(
    severity="error",
    title="Instance type that no compute environment has",
    rationale=(
        "A multi-node job that names an instance type runs on nothing else. Where no compute environment of its queue "
        "starts that type, it waits as RUNNABLE for ever."
    ),
    remedy="name the type among InstanceTypes, or its family",
    source="https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [optimal], MaxvCpus: 192}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      NodeProperties:
        NodeRangeProperties:
          - {TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0", InstanceType: p4d.24xlarge}}
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
        NodeRangeProperties:
          - {TargetNodes: "0:", Container: {Image: "registry.example.com/train:1.0", InstanceType: p4d.24xlarge}}
""",
    check=check,
)
