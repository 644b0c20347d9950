"""A version of Kubernetes that Amazon EKS does not support, or only for more money."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.eks_support import support_of, versions_in_standard_support
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a version out of support, one in extended support, and one that the catalog does not know."""
    path, version = ("eks", "kubernetes_version"), spec.eks.kubernetes_version
    support = support_of(version)
    recommended = f"write one of {', '.join(versions_in_standard_support())}"
    if support.state == "ended":
        since = f" since {support.until}" if support.until else ""
        message = f"EKS makes no clusters of Kubernetes {version}, which is out of support{since}"
        yield Problem(path, message, recommended)
    elif support.state == "extended":
        limits = eks_limits()
        normal, extended = limits.cluster_usd_per_hour, limits.cluster_in_extended_support_usd_per_hour
        message = (
            f"Kubernetes {version} is in extended support until {support.until}: "
            f"the control plane costs {extended:.2f} USD an hour in place of {normal:.2f}"
        )
        yield Problem(path, message, recommended, "warning")
    elif support.state == "unknown":
        message = f"nothing is known about Kubernetes {version} on EKS as of {support.as_of}"
        yield Problem(path, message, recommended, "warning")


RULE = Rule(
    severity="error",
    applies_to="has_kubernetes",
    title="Version of Kubernetes without support",
    rationale=(
        "EKS supports a version for 14 months, and for 12 more at six times the price of the control plane. Then it "
        "makes no new clusters of it, and upgrades those that there are. The days are those that the catalog was last "
        "compared with."
    ),
    remedy="write a version in standard support",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {kubernetes_version: "1.27"}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
eks: {kubernetes_version: "1.35"}
""",
    check=check,
)
