"""The versions of Kubernetes that EKS makes clusters of, in a region and at this time. Asks only.

https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html
"""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages


def offered_versions(account: Account) -> tuple[str, ...]:
    """Return them, such as 1.36, in standard and in extended support."""
    found = pages(account, "eks:DescribeClusterVersions", "describe_cluster_versions", "clusterVersions")
    return tuple(str(one["clusterVersion"]) for one in found)
