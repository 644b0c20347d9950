"""Private address ranges that are to reach a public Kubernetes API."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield ranges that EKS refuses. Those of documentation are for a preflight: examples have them on purpose."""
    if spec.eks.endpoint == "private":
        return
    from trainyard.catalog.reserved_ranges import is_reserved  # noqa: PLC0415  every check imports this rule

    for index, cidr in enumerate(spec.access.allow_from):
        if is_reserved(cidr):
            message = f"nobody comes to the public endpoint from {cidr}, a range that is not one of the internet"
            yield Problem(("access", "allow_from", index), message)


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
