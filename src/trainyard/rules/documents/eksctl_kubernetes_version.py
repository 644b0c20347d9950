"""A version of Kubernetes without standard support, or none at all, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.eks_support import support_of, versions_in_standard_support
from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_at

_PATH = ("metadata", "version")


def check(document: Document) -> Iterator[Problem]:
    """Yield a version that is a number to YAML, one out of support, and one whose support costs more."""
    version = mapping_at(document, "metadata").get("version")
    recommended = f"write one of {', '.join(versions_in_standard_support())}, in quotes"
    if isinstance(version, int | float):
        message = f"version {version} has no quotes, so YAML reads a number: 1.30 is 1.3"
        yield Problem(_PATH, message, recommended)
    if not isinstance(version, str):
        return
    support = support_of(version)
    if support.state == "ended":
        since = f" since {support.until}" if support.until else ""
        message = f"EKS makes no clusters of Kubernetes {version}, which is out of support{since}"
        yield Problem(_PATH, message, recommended)
    elif support.state == "extended":
        price = eks_limits()
        more = price.cluster_in_extended_support_usd_per_hour - price.cluster_usd_per_hour
        message = f"Kubernetes {version} is in extended support until {support.until}: the cluster costs {more:.2f} USD"
        yield Problem(_PATH, f"{message} an hour more", recommended, severity="info")


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Version of Kubernetes without support",
    rationale=(
        "EKS supports a version for 14 months, and for 12 more at six times the price of the control plane. Then it "
        "makes no new clusters of it, and upgrades those that there are. The days are those that the catalog was last "
        "compared with."
    ),
    remedy="write a version in standard support, in quotes",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html",
    bad="""\
metadata: {name: example, region: us-east-2, version: "1.27"}
""",
    good="""\
metadata: {name: example, region: us-east-2, version: "1.35"}
""",
    check=check,
)
