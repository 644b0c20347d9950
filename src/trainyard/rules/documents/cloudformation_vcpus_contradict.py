"""Numbers of vCPUs of a compute environment that contradict each other, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import Part, compute_environments, instance_types
from trainyard.rules.cloudformation.template import number, values


def check(document: Document) -> Iterator[Problem]:
    """Yield a desired number or a minimum above the maximum, and a maximum below one instance of every type."""
    for environment in compute_environments(document):
        most = _number(document, environment, "MaxvCpus")
        if most is None:
            continue
        for key in ("MinvCpus", "DesiredvCpus"):
            vcpus = _number(document, environment, key)
            if vcpus is not None and vcpus > most:
                message = f"{environment.resource} has {key} {vcpus:.0f} above MaxvCpus {most:.0f}"
                yield Problem((*environment.path, key), message)
        smallest = min((facts.vcpus or 0 for _, facts in instance_types(document, environment)), default=0)
        if most < smallest:
            message = f"{environment.resource} has MaxvCpus {most:.0f}, and one instance has {smallest} vCPUs"
            yield Problem((*environment.path, "MaxvCpus"), message, "write the vCPUs of all nodes together")


def _number(document: Document, environment: Part, key: str) -> float | None:
    written = values(document, environment.written.get(key), (*environment.path, key))
    numbers = [number(value) for _, value in written]
    return numbers[0] if len(numbers) == 1 else None


RULE = DocumentRule(
    severity="error",
    title="vCPUs that contradict each other",
    rationale=(
        "AWS Batch refuses a compute environment whose minimum or desired vCPUs are above the maximum. Where the "
        "maximum is below one instance, none ever starts and jobs wait as RUNNABLE."
    ),
    remedy="write MinvCpus, DesiredvCpus and MaxvCpus in growing order",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], DesiredvCpus: 192, MaxvCpus: 96}
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: EC2, InstanceTypes: [p4d.24xlarge], DesiredvCpus: 0, MaxvCpus: 192}
""",
    check=check,
)
