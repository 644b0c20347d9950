"""The state of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.own_bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.operate.status import Status, status

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account

__all__ = ["Status", "cluster_status"]


def cluster_status(name: str, where: Account, *, bucket: str | None = None) -> Status:
    """Return the state of a cluster. ``bucket`` is the one that its spec named, where no stack is left to say so.

    Raises TrainyardError where there is nothing of that name, or the account cannot be used.
    """
    return status(name, where, bucket or bucket_of_cluster(where, name) or s3.own_bucket(where))
