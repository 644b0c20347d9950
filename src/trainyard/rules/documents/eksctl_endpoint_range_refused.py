"""Private address ranges that are to reach a public Kubernetes API, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.reserved_ranges import is_reserved
from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_at


def check(document: Document) -> Iterator[Problem]:
    """Yield ranges that EKS refuses. Those of documentation are left alone: examples have them on purpose."""
    ranges = mapping_at(document, "vpc").get("publicAccessCIDRs")
    for index, cidr in enumerate(ranges if isinstance(ranges, tuple) else ()):
        if isinstance(cidr, str) and is_reserved(cidr):
            message = f"nobody comes to the public endpoint from {cidr}, a range that is not one of the internet"
            yield Problem(("vpc", "publicAccessCIDRs", index), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Range that a public Kubernetes API cannot have",
    rationale=(
        "A public endpoint sees the address that somebody has on the internet, behind NAT or a proxy. EKS refuses "
        "private and other reserved ranges when the cluster is made."
    ),
    remedy=(
        "write the address that you have on the internet, which `curl https://checkip.amazonaws.com` prints; from "
        "within the VPC, clusterEndpoints.privateAccess: true needs no range"
    ),
    source="https://repost.aws/knowledge-center/eks-lock-api-access-IP-addresses",
    bad="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [10.0.0.0/8]}
""",
    good="""\
vpc: {clusterEndpoints: {publicAccess: true, privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
    check=check,
)
