"""The status of a ParallelCluster cluster's compute fleet, which its head node keeps in a table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.asking import answer_or_none, client

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account

# pcluster/models/compute_fleet_status_manager.py and PCLUSTER_DYNAMODB_PREFIX in pcluster/constants.py of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
_TABLE = "parallelcluster-"
_KEY = {"Id": {"S": "COMPUTE_FLEET"}}


class FleetStatus(NamedTuple):
    """Whether compute nodes are launched."""

    status: str
    """RUNNING, STOPPED, PROTECTED after repeated failures, or a change from one to another such as STARTING."""
    since: str | None
    """When it became so, as the head node writes it."""


def fleet_status(account: Account, cluster: str) -> FleetStatus | None:
    """Return the status of the fleet; None where no head node has written any yet.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-protected-mode-v3.html
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    call = partial(client(account, "dynamodb").get_item, TableName=_TABLE + cluster, Key=_KEY)
    found = answer_or_none(account, "dynamodb:GetItem", call, {"ResourceNotFoundException"})
    item = (found or {}).get("Item", {})
    # Before 3.2 it was no map: PlainTextComputeFleetStatusManager.
    data = item.get("Data", {}).get("M") or {
        "status": item.get("Status", {}),
        "lastStatusUpdatedTime": item.get("LastUpdatedTime", {}),
    }
    status = data.get("status", {}).get("S")
    return FleetStatus(status, data.get("lastStatusUpdatedTime", {}).get("S")) if status else None
