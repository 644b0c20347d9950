"""The log group of the control plane of an EKS cluster: EKS makes it without tags, and leaves it when the cluster goes.

https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
https://github.com/eksctl-io/eksctl/issues/5551
"""

from __future__ import annotations

from collections.abc import Mapping

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import EksCluster
from trainyard.edge.aws.refusals import account_error

# The group is made with the cluster or after it; clocks of two services may differ.
_EARLIER_S = 3600


def control_plane_log_group(cluster: str) -> str:
    """Return its name."""
    return f"/aws/eks/{cluster}/cluster"


def tag_log_group(account: Account, cluster: EksCluster, tags: Mapping[str, str]) -> bool:
    """Give the group of a cluster its tags, and return whether any was missing.

    A group that is older than the cluster is of another one, which had the name before: it keeps what it has.
    """
    client, name = account.client("logs"), control_plane_log_group(cluster.name)
    try:
        pages = client.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=name)
        found = [one for page in pages for one in page["logGroups"] if one["logGroupName"] == name]
        if not found or _is_older(found[0].get("creationTime", 0), cluster):
            return False
        arn = found[0]["arn"].removesuffix(":*")
        if tags.items() <= client.list_tags_for_resource(resourceArn=arn)["tags"].items():
            return False
        client.tag_resource(resourceArn=arn, tags=dict(tags))
    except ClientError as error:
        raise account_error(error, account.region, f"tag log group {name}") from error
    return True


def _is_older(made_ms: int, cluster: EksCluster) -> bool:
    return cluster.created is not None and made_ms / 1000 < cluster.created.timestamp() - _EARLIER_S
