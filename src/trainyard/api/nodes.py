"""How the nodes of a cluster came up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.record import read_record
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.edge.aws.nodes import nodes
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.expected_nodes import expected_nodes
from trainyard.operate.nodes.host_history import HostHistory, host_history, replaced_hosts
from trainyard.operate.nodes.node_query import Look
from trainyard.operate.nodes.node_watch import NodeEvent, WatchResult, watch
from trainyard.operate.nodes.replacement import ReplacementRequest, replace_node
from trainyard.operate.nodes.replacement_record import ReplacementRecord
from trainyard.operate.nodes.topology import ClusterTopology, cluster_topology
from trainyard.operate.slurm.node_refresh import NodeRefresh, refresh_nodes
from trainyard.platform_table import platform_of
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account
    from trainyard.platform_entry import Platform

__all__ = [
    "ClusterNodes",
    "ClusterTopology",
    "HostHistory",
    "NodeEvent",
    "NodeRefresh",
    "ReplacementRecord",
    "WatchResult",
    "check_nodes",
    "cluster_topology",
    "node_hosts",
    "refresh_cluster_nodes",
    "replace_cluster_node",
    "watch_nodes",
]


_TO_END_S = 900
"""What clustermgtd, Auto Scaling and EC2 may take until an instance that is given up is gone."""
_COME_UP_S = 2100
"""What an instance may take that reports nothing: the default of both timeouts in spec/parallelcluster.py."""


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
    held = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    record = read_record(where, held, name)
    if record is not None:
        spec = parse(record.spec_text, "the spec as deployed").spec
        if not (spec.is_environment or platform_of(spec).nodes_run_release):
            return replaced_hosts(where, held, name)
    return host_history(where, _look(name, where, bucket, None, None).look())


def replace_cluster_node(  # noqa: PLR0913  one for each option
    name: str,
    node: str,
    where: Account,
    *,
    bucket: str | None = None,
    reason: str = "",
    end_jobs: bool = False,
    wait_for_jobs_s: float = 0,
    timeout_s: float | None = None,
    listener: Callable[[str], None] = lambda _: None,
) -> ReplacementRecord:
    """Replace a compute node, or go on where a call that ended early stopped; return how it ended.

    Raises InputError where there is no such node; TrainyardError where nothing replaces nodes of the platform, where
    jobs are on it that nobody lets end, and where its successor does not come or is not well.
    """
    held, platform = _deployed_platform(name, where, bucket)
    if platform.node_replacement is None:
        instance = node if node.startswith("i-") else "INSTANCE"
        hint = (
            f"`aws ec2 terminate-instances --region {where.region} --instance-ids {instance}` ends it, with its jobs; "
            f"{platform.title} starts another for the next job"
        )
        why = "it has no way to hold one from jobs, nor to prove its successor before jobs get it"
        raise TrainyardError(f"trainyard replaces no nodes of {platform.title}: {why}", where=name, hint=hint)
    come_up_s, reports = _COME_UP_S, False
    if platform.nodes_run_release:
        expected = expected_nodes(where, held, name)
        come_up_s, reports = expected.timeouts_s["compute"], expected.published.release is not None
    most_s = come_up_s + _TO_END_S if timeout_s is None else timeout_s
    request = ReplacementRequest(
        where, held, name, node, reason, reports, end_jobs, wait_for_jobs_s, most_s, listener
    )  # fmt: skip
    return replace_node(request, platform.node_replacement(request))


def refresh_cluster_nodes(
    name: str, where: Account, *, bucket: str | None = None, queue: str | None = None, after_jobs: bool = False
) -> NodeRefresh:
    """Let compute nodes that run an older release start anew with the published one: idle ones.

    With ``after_jobs`` those with jobs as well, once these are over. No job is ended.
    Raises TrainyardError where the cluster has no Slurm that answers, or nothing is published.
    """
    held, platform = _deployed_platform(name, where, bucket)
    if platform.slurm_head is None:
        hint = "new nodes run the published release; end the others when they have no job"
        raise TrainyardError(f"{platform.title} has no Slurm that could power nodes down", where=name, hint=hint)
    published = expected_nodes(where, held, name).published
    if published.release is None:
        why = published.problem or "nothing is published that nodes would run"
        raise TrainyardError(f"no node of {name} has a release to start with: {why}", where=f"s3://{held}")
    looked = Look(where, held, name, queue, None).look()
    releases = {node.id: node.record.release if node.record else None for node in looked.present}
    by_address = {
        instance.private_address: releases.get(instance.id)
        for instance in nodes(where, name)
        if instance.role == "Compute" and instance.private_address
    }
    head = platform.slurm_head(name, where)
    return refresh_nodes(head, by_address, published.release, queue=queue, after_jobs=after_jobs)


def _deployed_platform(name: str, where: Account, bucket: str | None) -> tuple[str, Platform]:
    """Return the bucket of a cluster and its platform. Raises TrainyardError where trainyard has not made it."""
    held = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    record = read_record(where, held, name)
    if record is None:
        raise TrainyardError(f"trainyard has made no cluster {name} in {where.region}", where=f"s3://{held}")
    return held, platform_of(parse(record.spec_text, "the spec as deployed").spec)


def _look(name: str, where: Account, bucket: str | None, queue: str | None, node: str | None) -> Look:
    return Look(where, bucket or bucket_of_cluster(where, name) or s3.own_bucket(where), name, queue, node)
