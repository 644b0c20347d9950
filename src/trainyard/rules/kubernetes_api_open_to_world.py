"""A Kubernetes API that answers every address."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a public endpoint without address ranges. Ranges that are too wide have a rule of their own."""
    if spec.eks.endpoint == "private" or spec.access.allow_from:
        return
    path = ("eks", "endpoint") if "endpoint" in spec.eks.written else ("platform",)
    message = f"endpoint: {spec.eks.endpoint} of {spec.platform} lets every address try the Kubernetes API"
    yield Problem(path, message)


RULE = Rule(
    severity="info",
    applies_to="has_kubernetes",
    title="Kubernetes API open to the world",
    rationale=(
        "The API asks everybody for credentials, and a stolen kubeconfig or a flaw in it is then reachable from "
        "everywhere. With ranges it answers nobody else, and nodes reach it within the VPC."
    ),
    remedy="name your own addresses in access.allow_from, or write eks.endpoint: private and deploy from the VPC",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    bad="""\
platform: eks
eks: {endpoint: public}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {endpoint: both}
""",
    check=check,
)
