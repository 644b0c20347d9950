"""How the nodes of a cluster came up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.host_history import HostHistory, host_history
from trainyard.operate.nodes.node_query import Look
from trainyard.operate.nodes.node_watch import NodeEvent, WatchResult, watch
from trainyard.operate.nodes.topology import ClusterTopology, cluster_topology

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account

__all__ = [
    "ClusterNodes",
    "ClusterTopology",
    "HostHistory",
    "NodeEvent",
    "WatchResult",
    "check_nodes",
    "cluster_topology",
    "node_hosts",
    "watch_nodes",
]


def check_nodes(
    name: str, where: Account, *, bucket: str | None = None, queue: str | None = None, node: str | None = None
) -> ClusterNodes:
    """Return how the nodes of a cluster came up, all of them, those of a queue, or one.

    ``bucket`` is the one that its spec named, where no stack is left to say so.
    Raises TrainyardError where there is nothing of that name, or the account cannot be used.
    """
    return _look(name, where, bucket, queue, node).look()


def watch_nodes(  # noqa: PLR0913  those of check_nodes, and two
    name: str,
    where: Account,
    *,
    bucket: str | None = None,
    queue: str | None = None,
    node: str | None = None,
    timeout_s: float | None = None,
    listener: Callable[[NodeEvent], None] = lambda _: None,
) -> WatchResult:
    """Follow the nodes until all are ready, one fails for good, or the time is over; then return how they are.

    Without ``timeout_s``, the longest that any node has by the spec. Raises TrainyardError as check_nodes does.
    """
    return watch(_look(name, where, bucket, queue, node).look, where.clock, timeout_s, listener)


def node_hosts(name: str, where: Account, *, bucket: str | None = None) -> HostHistory:
    """Return the hosts under the nodes of a cluster, and what became of each instance on them.

    Raises TrainyardError as check_nodes does.
    """
    return host_history(where, _look(name, where, bucket, None, None).look())


def _look(name: str, where: Account, bucket: str | None, queue: str | None, node: str | None) -> Look:
    return Look(where, bucket or bucket_of_cluster(where, name) or s3.own_bucket(where), name, queue, node)
