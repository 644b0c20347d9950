"""The log group of the control plane of an EKS cluster: EKS makes it without tags, and leaves it when the cluster goes.

https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
https://github.com/eksctl-io/eksctl/issues/5551
"""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.eks import EksCluster

# The group is made with the cluster or after it; clocks of two services may differ.
_EARLIER_S = 3600


def control_plane_log_group(cluster: str) -> str:
    """Return its name."""
    return f"/aws/eks/{cluster}/cluster"


def tag_log_group(account: Account, cluster: EksCluster, tags: Mapping[str, str]) -> bool:
    """Give the group of a cluster its tags, and return whether any was missing.

    A group that is older than the cluster is of another one, which had the name before: it keeps what it has.
    """
    name = control_plane_log_group(cluster.name)
    doing = f"tag log group {name}"
    listed = pages(account, "logs", "describe_log_groups", "logGroups", doing=doing, logGroupNamePrefix=name)
    group = next((group for group in listed if group["logGroupName"] == name), None)
    if group is None or _is_older(group.get("creationTime", 0), cluster):
        return False
    arn = group["arn"].removesuffix(":*")
    if tags.items() <= call(account, "logs", "list_tags_for_resource", doing=doing, resourceArn=arn)["tags"].items():
        return False
    call(account, "logs", "tag_resource", doing=doing, resourceArn=arn, tags=dict(tags))
    return True


def _is_older(made_ms: int, cluster: EksCluster) -> bool:
    return cluster.created is not None and made_ms / 1000 < cluster.created.timestamp() - _EARLIER_S
