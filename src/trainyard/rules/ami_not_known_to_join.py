"""A machine image of one's own for nodes of Amazon EKS, which have to know how they join."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield images that are named by id: only who built them knows what is in them."""
    for path, ami in _images(spec):
        message = f"{ami} has to be built from EKS's image of Amazon Linux 2023 for {spec.eks.kubernetes_version}"
        yield Problem(path, message)


def _images(spec: Spec) -> Iterator[tuple[Path, str]]:
    if spec.image.ami is not None:
        yield ("image", "ami"), spec.image.ami
    for index, queue in enumerate(spec.queues):
        if queue.ami is not None:
            yield ("queues", index, "ami"), queue.ami


RULE = Rule(
    severity="info",
    confidence="possible",
    applies_to="made_by_eksctl",
    title="Machine image that has to know how to join",
    rationale=(
        "Nodes join by nodeadm, which EKS's images of Amazon Linux 2023 have, with the kubelet of one version of "
        "Kubernetes. On another image nothing reads how to join: the instances run and cost, and no node appears. EKS "
        "brings no updates to an image of your own."
    ),
    remedy="build it with https://github.com/awslabs/amazon-eks-ami, or remove ami: EKS's own has drivers and EFA",
    source="https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-build-scripts.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
image: {ami: ami-0123456789abcdef0}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
image: {}
""",
    check=check,
)
