"""A version of Kubernetes that EKS makes no clusters of today, whatever the catalog says."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.by_version import number_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import offered_versions
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the version, unless a cluster has it already: EKS keeps those for a while."""
    spec = context.spec
    version, offered = spec.eks.kubernetes_version, context.ask(offered_versions)
    if version in offered:
        return
    cluster = context.ask(eks.find_cluster, spec.name)
    if cluster is None or cluster.version != version:
        listed = ", ".join(sorted(offered, key=number_of)) or "none"
        message = f"EKS offers no Kubernetes {version} in {context.account.region}: {listed}"
        yield Problem(("eks", "kubernetes_version"), message)


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="Version of Kubernetes that EKS does not offer",
    rationale=(
        "EKS makes clusters of the versions that are in standard or extended support, and new ones come to its regions "
        "one after the other. eksctl would find out only after the stacks beside the cluster were made."
    ),
    remedy="name a version that EKS offers; `eksctl utils describe-cluster-versions` lists them",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html",
    permissions=("eks:DescribeClusterVersions", "eks:DescribeCluster"),
    check=check,
)
