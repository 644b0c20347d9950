"""The status of a ParallelCluster cluster's compute fleet, which its head node keeps in a table."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

# pcluster/models/compute_fleet_status_manager.py and PCLUSTER_DYNAMODB_PREFIX in pcluster/constants.py of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
_TABLE = "parallelcluster-"
_KEY = {"Id": {"S": "COMPUTE_FLEET"}}


class FleetStatus(NamedTuple):
    """Whether compute nodes are launched."""

    status: str
    """RUNNING, STOPPED, PROTECTED after repeated failures, or a change from one to another such as STARTING."""
    since: str | None
    """When it became so, in UTC: 2026-05-06T13:25:00Z."""


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
    return FleetStatus(status, _utc(data.get("lastStatusUpdatedTime", {}).get("S"))) if status else None


def _utc(written: str | None) -> str | None:
    """Return a time as the head node writes it, such as 2026-05-06 13:25:00.123456+00:00, as others are here."""
    try:
        time = dt.datetime.fromisoformat(written or "")
    except ValueError:
        return written
    return f"{(time if time.tzinfo else time.replace(tzinfo=dt.UTC)).astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
