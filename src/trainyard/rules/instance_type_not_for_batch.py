"""An instance type on which AWS Batch runs no multi-node jobs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.batch_images import families_without_driver
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.batch import compute_environments, instance_types, multi_node_containers
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield types that Batch has no image for, that have no room for a container's interface, or that nobody knows."""
    for group in spec.node_groups():
        own_image = (group.queue.ami or spec.image.ami) is not None
        for path, name in types_of(group):
            if reason := _why_not(find(name), own_image=own_image):
                yield Problem(path, f"queue {group.queue.name!r} runs {name}, {reason[0]}", reason[1])


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield types of environments, beside a multi-node job definition, whose first card holds a single interface."""
    if not any(multi_node_containers(document)):
        return
    for environment in compute_environments(document):
        for path, facts in instance_types(document, environment):
            if _has_full_card(facts):
                message = f"{facts.name} of {environment.resource} has no room for the interface of a container"
                yield Problem(path, message)


def _has_full_card(facts: InstanceType) -> bool:
    """Return whether the first card holds the interface of the instance and no other."""
    return facts.cards is not None and facts.cards[0].max_interfaces < 2


def _why_not(facts: InstanceType | None, *, own_image: bool) -> tuple[str, str] | None:
    if facts is None or facts.vcpus is None or facts.memory_mib is None or facts.cards is None:
        return "whose vCPUs, memory and network cards are unknown", "choose a type that `trainyard instances` lists"
    if _has_full_card(facts):
        reason = "whose first network card holds one interface and has no room for that of the container"
        return reason, "choose a type whose first card holds two"
    lacks_image = facts.family in families_without_driver() or (facts.architecture == "arm64" and facts.gpu_count)
    if lacks_image and not own_image:
        return (
            "for which ECS has no image with NVIDIA's driver on Amazon Linux 2023",
            "name an image of your own in ami",
        )
    return None


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Instance type without multi-node jobs",
    rationale=(
        "Containers of multi-node jobs bring a network interface of their own, which has to fit on the first network "
        "card beside that of the instance: where that card holds one, the job waits as RUNNABLE. Batch counts in vCPUs "
        "and memory, which have to be known, and picks an image by the type: its image with NVIDIA's driver is for no "
        "Graviton processor and not for P3 and G3."
    ),
    remedy="choose another type",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: p3dn.24xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    check=check,
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-instance-type-not-for-multi-node-jobs",
    check_cloudformation,
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
)
