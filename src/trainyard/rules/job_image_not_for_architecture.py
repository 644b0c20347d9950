"""Accelerated nodes of Amazon EKS with Arm processors, and the example job's image for x86."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield arm64 types with accelerators, which have an example job, beside its default image."""
    if spec.eks.pytorch_image is not None:
        return
    for group in spec.node_groups():
        for path, name in types_of(group):
            facts = find(name)
            if facts is not None and facts.accelerators and facts.architecture == "arm64":
                message = f"{name} is arm64, and the example PyTorchJob's default image is for x86_64"
                yield Problem(path, message)


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_kubernetes",
    title="Job image for another architecture",
    rationale=(
        "A container of x86_64 ends with exec format error on a Grace processor. AWS keeps its images of "
        "PyTorch for arm64 in a repository of their own, pytorch-training-arm64."
    ),
    remedy="name an image for arm64 in eks.pytorch_image",
    source="https://github.com/aws/deep-learning-containers/blob/master/available_images.md",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
queues:
  - name: gb200
    instance_type: p6e-gb200.36xlarge
    subnet: subnet-0123456789abcdef0
    nodes: {min: 0, max: 9}
    capacity: {capacity_block: cr-0123456789abcdef0}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
queues:
  - name: gb200
    instance_type: p6e-gb200.36xlarge
    subnet: subnet-0123456789abcdef0
    nodes: {min: 0, max: 9}
    capacity: {capacity_block: cr-0123456789abcdef0}
eks:
  pytorch_image: public.ecr.aws/deep-learning-containers/pytorch-training-arm64:2.7.0-gpu-py312-cu128-ubuntu22.04-ec2
""",
    check=check,
)
