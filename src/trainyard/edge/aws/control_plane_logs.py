"""The log group of the control plane of an EKS cluster: EKS makes it without tags, and leaves it when the cluster goes.

https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
https://github.com/eksctl-io/eksctl/issues/5551
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.eks import EksCluster

# The group is made with the cluster or after it; clocks of two services may differ.
_EARLIER_S = 3600


def control_plane_log_group(cluster: str) -> str:
    """Return its name."""
    return f"/aws/eks/{cluster}/cluster"


class ControlPlaneLogGroup(NamedTuple):
    """The log group of a control plane."""

    name: str
    arn: str
    tags: Mapping[str, str]
    retention_days: int | None
    """How long logs are kept; None for ever."""


def find_log_group(account: Account, cluster: EksCluster) -> ControlPlaneLogGroup | None:
    """Return the group of a cluster; None where there is none yet.

    A group that is older than the cluster is of another one, which had the name before, and not returned.
    """
    name = control_plane_log_group(cluster.name)
    doing = f"look at log group {name}"
    listed = pages(account, "logs", "describe_log_groups", "logGroups", doing=doing, logGroupNamePrefix=name)
    group = next((group for group in listed if group["logGroupName"] == name), None)
    if group is None or _is_older(group.get("creationTime", 0), cluster):
        return None
    arn = group["arn"].removesuffix(":*")
    tags = call(account, "logs", "list_tags_for_resource", doing=doing, resourceArn=arn)["tags"]
    return ControlPlaneLogGroup(name, arn, tags, group.get("retentionInDays"))


def put_log_group(
    account: Account, cluster: EksCluster, tags: Mapping[str, str], retention_days: int | None = None
) -> None:
    """Give the group of a cluster its tags, and the time that it keeps logs; None leaves that as it is.

    Does nothing where there is no group.
    """
    group = find_log_group(account, cluster)
    if group is None:
        return
    doing = f"set up log group {group.name}"
    if not tags.items() <= group.tags.items():
        call(account, "logs", "tag_resource", doing=doing, resourceArn=group.arn, tags=dict(tags))
    if retention_days not in (None, group.retention_days):
        place: dict[str, Any] = {"logGroupName": group.name, "retentionInDays": retention_days}
        call(account, "logs", "put_retention_policy", doing=doing, **place)


def _is_older(made_ms: int, cluster: EksCluster) -> bool:
    return cluster.created is not None and made_ms / 1000 < cluster.created.timestamp() - _EARLIER_S
