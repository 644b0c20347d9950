"""The names that Slurm gives to the nodes of a ParallelCluster cluster, and the instances behind them."""

from __future__ import annotations

from functools import partial

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

# The head node writes there which instance is which node: slurm_plugin/instance_manager.py of
# https://github.com/aws/aws-parallelcluster-node, and PCLUSTER_SLURM_DYNAMODB_PREFIX in pcluster/constants.py.
_TABLE = "parallelcluster-slurm-"


def instance_of_slurm_node(account: Account, cluster: str, node: str) -> str | None:
    """Return the id of the instance that is, or was last, a node of Slurm; None where nobody knows.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    call = partial(
        client(account, "dynamodb").get_item,
        TableName=_TABLE + cluster,
        Key={"Id": {"S": node}},
        ProjectionExpression="InstanceId",
    )
    found = answer_or_none(account, "dynamodb:GetItem", call, {"ResourceNotFoundException"}) if node else None
    instance: str | None = (found or {}).get("Item", {}).get("InstanceId", {}).get("S")
    return instance
