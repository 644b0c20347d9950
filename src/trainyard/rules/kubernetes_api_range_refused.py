"""Private address ranges that are to reach a public Kubernetes API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_at
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield ranges of a public endpoint that EKS refuses."""
    if spec.eks.endpoint == "private":
        return
    yield from _reserved(spec.access.allow_from, ("access", "allow_from"))


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield ranges that EKS refuses."""
    ranges = mapping_at(document, "vpc").get("publicAccessCIDRs")
    yield from _reserved(ranges if isinstance(ranges, tuple) else (), ("vpc", "publicAccessCIDRs"))


def _reserved(ranges: tuple[Any, ...], path: Path) -> Iterator[Problem]:
    """Yield those of them that nobody has. Those of documentation are left alone: examples have them on purpose."""
    from trainyard.catalog.reserved_ranges import is_reserved  # noqa: PLC0415  every check imports this rule

    for index, cidr in enumerate(ranges):
        if isinstance(cidr, str) and is_reserved(cidr):
            message = f"nobody comes to the public endpoint from {cidr}, a range that is not one of the internet"
            yield Problem((*path, index), message)


RULE = Rule(
    severity="error",
    applies_to="has_kubernetes",
    title="Range that a public Kubernetes API cannot have",
    rationale=(
        "A public endpoint sees the address that you have on the internet, behind NAT or a proxy, and not the one of "
        "your own network. EKS refuses private and other reserved ranges when the cluster is made."
    ),
    remedy=(
        "write the address that you have on the internet, which `curl https://checkip.amazonaws.com` prints; from "
        "within the VPC, endpoint: both is reached without any range"
    ),
    source="https://repost.aws/knowledge-center/eks-lock-api-access-IP-addresses",
    bad="""\
platform: eks
access: {allow_from: [10.0.0.0/8]}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-endpoint-range-refused",
    check_eksctl,
    remedy=(
        "write the address that you have on the internet, which `curl https://checkip.amazonaws.com` prints; from "
        "within the VPC, clusterEndpoints.privateAccess: true needs no range"
    ),
    bad="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [10.0.0.0/8]}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
)
