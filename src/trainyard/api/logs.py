"""The logs of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.operate.logs.cluster_log import ClusterLog, Stream
from trainyard.operate.logs.export import LogArchive, refuse_other_endings
from trainyard.operate.logs.logs import LogReader, Logs, cluster_logs, logs_of
from trainyard.operate.logs.period import Period, period
from trainyard.platforms.parallelcluster.logs.with_pcluster import export_with_pcluster

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account

__all__ = [
    "ClusterLog",
    "LogArchive",
    "LogReader",
    "Logs",
    "Period",
    "Stream",
    "cluster_logs",
    "export_with_pcluster",
    "log_period",
    "logs_of",
    "refuse_other_endings",
]


def log_period(since: str | None, until: str | None, where: Account) -> Period:
    """Return the period that two texts such as 1h or 2026-05-06T13:25 mean. Raises InputError where they mean none."""
    return period(since, until, where.clock.now())
