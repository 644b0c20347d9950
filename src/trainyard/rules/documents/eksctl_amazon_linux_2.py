"""Nodes with Amazon Linux 2, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.catalog.kubernetes_versions import is_older
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups of Amazon Linux 2, as an error where the version never had images of it."""
    version = mapping_at(document, "metadata").get("version")
    limits = eks_limits()
    last = limits.amazon_linux_2_last_version
    for group in node_groups(document):
        if group.written.get("amiFamily") != "AmazonLinux2":
            continue
        path = (*group.path, "amiFamily")
        if isinstance(version, str) and is_older(last, version):
            message = f"there is no AmazonLinux2 for Kubernetes {version}: {last} was the last with it"
            yield Problem(path, message, severity="error")
        else:
            message = f"EKS makes no new images of AmazonLinux2 for {group.name!r} since {limits.amazon_linux_2_until}"
            yield Problem(path, message)


RULE = DocumentRule(
    severity="warning",
    title="Amazon Linux 2",
    rationale=(
        "EKS published its last images of Amazon Linux 2 in November 2025: they get no security updates and no newer "
        "drivers for GPUs and EFA, and no version of Kubernetes after 1.32 has any."
    ),
    remedy="write amiFamily: AmazonLinux2023, or remove it: that is the default",
    source="https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-build-scripts.html",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, amiFamily: AmazonLinux2}
""",
    good="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, amiFamily: AmazonLinux2023}
""",
    check=check,
)
