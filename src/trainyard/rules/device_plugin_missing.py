"""Nodes of Amazon EKS that surely have accelerators, and that the catalog knows too little of for a device plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec

# What families are called that have GPUs of NVIDIA, or chips of AWS; those of AMD are called g4ad.
# https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
_FAMILIES = {"nvidia.com/gpu": r"(g|gr|p)\d(?!ad)[a-z]*(-[a-z0-9]+)?", "aws.amazon.com/neuron": r"(trn|inf)\d[a-z]*"}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield unknown types of such families."""
    for group in spec.node_groups():
        for path, name in types_of(group):
            if find(name) is None and (resource := _resource(name)) is not None:
                yield Problem(path, f"{name} gets no device plugin, so no pod of it can ask for {resource}")


def _resource(name: str) -> str | None:
    family = name.partition(".")[0]
    return next((resource for resource, pattern in _FAMILIES.items() if re.fullmatch(pattern, family)), None)


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_kubernetes",
    title="Device plugin that is missing",
    rationale=(
        "Kubernetes knows of a node's accelerators by a device plugin alone. It runs on the types that the catalog "
        "says have some; on others nodes are Ready, cost what they cost, and jobs stay Pending."
    ),
    remedy=(
        "choose a type that `trainyard instances` lists, or install the device plugin of NVIDIA or AWS Neuron for "
        "these nodes yourself"
    ),
    source="https://docs.aws.amazon.com/eks/latest/eksctl/gpu-support.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues: [{name: gpu, instance_type: p9-b900.48xlarge, nodes: 2}]
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues: [{name: gpu, instance_type: g5.48xlarge, nodes: 2}]
""",
    check=check,
)
