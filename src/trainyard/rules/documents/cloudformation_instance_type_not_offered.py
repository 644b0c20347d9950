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
        one
        for environment in compute_environments(document)
        for _, one in members(document, environment.written.get("InstanceTypes"), (*environment.path, "InstanceTypes"))
    ]
    if not offered or not all(isinstance(one, str) for one in offered):
        return
    for container in multi_node_containers(document):
        path = (*container.path, "InstanceType")
        for place, wanted in values(document, container.written.get("InstanceType"), path):
            if isinstance(wanted, str) and not any(_offers(one, wanted) for one in offered):
                message = f"{container.resource} wants {wanted}, and compute environments have {', '.join(offered)}"
                yield Problem(place, message)


def _offers(one: Any, wanted: str) -> bool:
    if one.startswith(_GENERAL):
        return wanted.startswith(_GENERAL_FAMILIES)
    return one in (wanted, wanted.partition(".")[0])


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
