"""The dashboards of a cluster as a page on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.api.cluster_reference import cluster_reference
from trainyard.edge.aws.account import account
from trainyard.edge.prometheus_connection import AMAZON, address
from trainyard.errors import InputError
from trainyard.operate.monitoring.viewer.data_check import DashboardData, dashboards_data
from trainyard.operate.monitoring.viewer.metrics_source import keeper_at, keeper_of
from trainyard.operate.monitoring.viewer.server import Viewer

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account
    from trainyard.edge.prometheus_api import PrometheusApi

__all__ = ["DashboardData", "Viewer", "dashboards_data", "log_account", "metrics_keeper", "open_viewer"]


def metrics_keeper(
    name: str | None, prometheus: str | None, *, region: str | None = None, profile: str | None = None
) -> PrometheusApi:
    """Return whoever keeps the metrics: at an address, or those of a cluster by its name or spec file.

    Raises InputError where neither or both are given or nothing says which region, TrainyardError where the cluster has
    no metrics that can be asked for.
    """
    if (name is None) == (prometheus is None):
        hint = "`trainyard monitor view --prometheus http://localhost:9090`, or NAME or SPEC of a cluster"
        raise InputError("one of NAME and --prometheus has to be given, and not both", where="monitor view", hint=hint)
    if prometheus is not None:
        return keeper_at(prometheus, region, profile)
    cluster = cluster_reference(name or "", region, profile)
    return keeper_of(cluster.name, cluster.account)


def log_account(
    name: str | None, prometheus: str | None, *, region: str | None = None, profile: str | None = None
) -> Account | None:
    """Return the account that has the logs of a cluster; None where an address alone says no region.

    Takes what `metrics_keeper` takes, after that has accepted it.
    """
    if name is not None:
        return cluster_reference(name, region, profile).account
    named = AMAZON.match(address(prometheus or ""))
    in_region = region or (named[1] if named else None)
    return None if in_region is None else account(in_region, profile)


def open_viewer(keeper: PrometheusApi, port: int = 0, where: Account | None = None) -> Viewer:
    """Return the server of the page, which listens already; ``serve_forever`` makes it answer.

    ``where`` is the account that logs are read of, when somebody asks for them.

    Raises TrainyardError where the Prometheus does not answer, InputError where the port is taken.
    """
    keeper.expect_ready()
    return Viewer(keeper, port, where)
