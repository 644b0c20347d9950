"""The log group of a ParallelCluster cluster, whose name ends in the minute at which the cluster was made."""

from __future__ import annotations

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error

# Of the cluster's stack: pcluster/templates/cluster_stack.py, alike in 3.14, 3.15 and 3.16.
_PARAMETER = "ClusterCWLogGroup"
_BEGINNING = "/aws/parallelcluster/"


def cluster_log_group(account: Account, cluster: str) -> str | None:
    """Return its name, None where the cluster has none."""
    try:
        described = account.client("cloudformation").describe_stacks(StackName=cluster)["Stacks"][0]
    except ClientError as error:
        raise account_error(error, account.region, f"look at stack {cluster}") from error
    parameters = {one["ParameterKey"]: one.get("ParameterValue", "") for one in described.get("Parameters", ())}
    name = parameters.get(_PARAMETER, "")
    return name if name.startswith(_BEGINNING) else None
