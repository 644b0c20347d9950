"""A version of Kubernetes that Amazon EKS does not support, or only for more money."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.kubernetes_versions import HALF_A_YEAR_DAYS, Support, days_left, recommended_versions, support_of
from trainyard.counts import count_text
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_at
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a version out of support, one in extended support, and one that the catalog does not know."""
    path, version = ("eks", "kubernetes_version"), spec.eks.kubernetes_version
    support, recommended, limits = support_of(version), _recommended(), eks_limits()
    if support.state == "ended":
        yield Problem(path, _ended(version, support), recommended)
    elif support.state == "extended":
        normal, extended = limits.cluster_usd_per_hour, limits.cluster_in_extended_support_usd_per_hour
        message = (
            f"Kubernetes {version} is in extended support until {support.until}: "
            f"the control plane costs {extended:.2f} USD an hour in place of {normal:.2f}"
        )
        yield Problem(path, message, recommended, "warning")
    elif support.state == "unknown":
        message = f"nothing is known about Kubernetes {version} on EKS as of {support.as_of}"
        yield Problem(path, message, recommended, "warning")
    elif (days := days_left(support)) is not None and days < HALF_A_YEAR_DAYS and version not in recommended_versions():
        yield Problem(path, _ends_soon(version, support, days), recommended, "info")


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield a version that is a number to YAML, one out of support, and one whose support costs more."""
    path, version = ("metadata", "version"), mapping_at(document, "metadata").get("version")
    recommended = f"{_recommended()}, in quotes"
    if isinstance(version, int | float):
        message = f"version {version} has no quotes, so YAML reads a number: 1.30 is 1.3"
        yield Problem(path, message, recommended)
    if not isinstance(version, str):
        return
    support, limits = support_of(version), eks_limits()
    if support.state == "ended":
        yield Problem(path, _ended(version, support), recommended)
    elif support.state == "extended":
        more = limits.cluster_in_extended_support_usd_per_hour - limits.cluster_usd_per_hour
        message = f"Kubernetes {version} is in extended support until {support.until}: the cluster costs {more:.2f} USD"
        yield Problem(path, f"{message} an hour more", recommended, severity="info")


def _ended(version: str, support: Support) -> str:
    since = f" since {support.until}" if support.until else ""
    return f"EKS makes no clusters of Kubernetes {version}, which is out of support{since}"


def _ends_soon(version: str, support: Support, days: int) -> str:
    after = f"{count_text(days, 'day')} after {support.as_of}"
    return f"Kubernetes {version} leaves standard support on {support.until}, {after}"


def _recommended() -> str:
    versions = recommended_versions()
    return f"write {versions[0]}" if len(versions) == 1 else f"write one of {', '.join(versions)}"


RULE = Rule(
    severity="error",
    applies_to="has_kubernetes",
    title="Version of Kubernetes without support",
    rationale=(
        "EKS supports a version for 14 months, and for 12 more at six times the price of the control plane. Then it "
        "makes no new clusters of it, and upgrades those that there are. A version with less than half a year of "
        "standard support is worth a line. The days are those that the catalog was last compared with."
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
eks: {kubernetes_version: "1.36"}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-kubernetes-version",
    check_eksctl,
    remedy=f"{RULE.remedy}, in quotes",
    bad="""\
metadata: {name: example, region: us-east-2, version: "1.27"}
""",
    good="""\
metadata: {name: example, region: us-east-2, version: "1.36"}
""",
)
