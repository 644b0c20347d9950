"""What a plan says of a cluster of ParallelCluster: its price, and how long the cluster and its nodes take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import NamedTuple

import yaml

from trainyard.catalog import prices, step_minutes, update_policies
from trainyard.catalog.prices import Price
from trainyard.deploy.plan.cost_line import (
    CostLine,
    by_the_hour,
    by_the_month,
    compute_lines,
    public_addresses,
    volume_lines,
)
from trainyard.deploy.plan.expected_time import Minutes, PlannedStage
from trainyard.deploy.plan.immutable_fields import ImmutableField, paths_in, positions_in
from trainyard.deploy.plan.time_budget import NodeTime, TimeBudget, time_budget
from trainyard.finding import Path, path_text
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.cloudwatch_metrics import OF_SLURM, SYSTEM, SYSTEM_OF_HEAD, events_of, groups_of, metrics_of
from trainyard.render.nodes import node_kinds
from trainyard.spec.cluster import Spec
from trainyard.spec.login_nodes import LoginPool

# From where on each step of the price holds. An account's other metrics count too, so that the first may be used up.
_STEPS = {
    0: "custom_metric_month",
    10_000: "custom_metric_above_10000_month",
    250_000: "custom_metric_above_250000_month",
    1_000_000: "custom_metric_above_1000000_month",
}
# A line of trainyard-node, and what CloudWatch counts besides for each event.
# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
BYTES_OF_EVENT = 620 + 26
_MINUTES_A_MONTH = prices.HOURS_A_MONTH * 60


def cost_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield head node, login nodes and compute nodes, and what CloudWatch keeps of them."""
    yield from _head_node(spec)
    for _, pool in spec.login_pools():
        yield from _login_pool(spec, pool)
    yield from compute_lines(spec)
    yield from metric_lines(spec)
    yield from _dashboards(spec)


def stages(spec: Spec) -> Iterator[PlannedStage]:
    """Yield the stack, the head node, and the nodes that run from the beginning."""
    measured = step_minutes.stage_minutes("parallelcluster")
    what = "the cluster's own stack, as with a head node that installs nothing; its start counts here and below"
    sources = tuple(step_minutes.sources_of("parallelcluster").values())
    yield PlannedStage("cluster", what, None if measured is None else Minutes(*measured), sources)
    budget = time_budget(spec)
    if budget is not None:
        yield from _nodes(spec, budget)


def immutable_fields(spec: Spec) -> Iterator[ImmutableField]:
    """Yield what ParallelCluster refuses to change."""
    return fields_that_pcluster_refuses(spec)


def _head_node(spec: Spec) -> Iterator[CostLine]:
    head = spec.head_node
    price = prices.instance_hour(head.instance_type, spec.region)
    yield by_the_hour(f"head node, {head.instance_type}", "instance", (1, 1), price, "on demand, always")
    yield from volume_lines("root volume of the head node", head.root_volume, spec.region, (1, 1))
    if head.subnet == "public" or head.elastic_ip:
        yield public_addresses("address of the head node", spec.region, 1)


def _login_pool(spec: Spec, pool: LoginPool) -> Iterator[CostLine]:
    count = (pool.count, pool.count)
    price = prices.instance_hour(pool.instance_type, spec.region)
    yield by_the_hour(f"login nodes {pool.name}, {pool.instance_type}", "instance", count, price, "on demand, always")
    balancer = prices.service("network_load_balancer_hour", spec.region)
    basis = "without the capacity units that traffic uses"
    yield by_the_hour(f"load balancer of login nodes {pool.name}", "load balancer", (1, 1), balancer, basis)
    yield by_the_hour(f"root volumes of login nodes {pool.name}", "volume", count, None, "as large as their image says")
    if pool.subnet == "public":
        yield public_addresses(f"addresses of login nodes {pool.name}", spec.region, pool.count)


def _dashboards(spec: Spec) -> Iterator[CostLine]:
    """Yield what they cost, as if none of the account were free.

    https://aws.amazon.com/cloudwatch/pricing/
    """
    if not wants_dashboards(spec):
        return
    count = len(dashboards_of(spec)) + 1
    price = prices.service("cloudwatch_dashboard_month", spec.region)
    basis = "one of them ParallelCluster's own; the first 3 of an account are free, with up to 50 metrics each"
    yield by_the_month("dashboards in CloudWatch", "dashboard", (count, count), price, basis)


def _nodes(spec: Spec, budget: TimeBudget) -> Iterator[PlannedStage]:
    """Yield the head node, and the nodes that run from the beginning: these start side by side, the slowest counts."""
    by_name = {node.name: node for node in budget.nodes}
    yield _stage("head-node", "start and set-up of the head node", [by_name["head"]])
    always = {f"queue/{group.queue.name}" for group in spec.node_groups() if group.min_nodes > 0}
    if always:
        nodes = [by_name[name] for name in sorted(always)]
        yield _stage("compute-nodes", "start and set-up of the nodes that always run", nodes)


def _stage(name: str, what: str, nodes: list[NodeTime]) -> PlannedStage:
    totals = [node.official for node in nodes]
    least, most = max(total.least_s for total in totals), max(total.most_s for total in totals)
    steps = [step for node in nodes for step in node.steps if not step.deferred]
    sources = dict.fromkeys(step.source for step in steps if step.source is not None)
    unknown = dict.fromkeys(step for total in totals for step in total.unknown)
    return PlannedStage(name, what, Minutes(least // 60, -(-most // 60)), tuple(sources), tuple(unknown))


def fields_that_pcluster_refuses(spec: Spec) -> Iterator[ImmutableField]:
    """Yield the version first, then every field that a key of cluster.yaml comes from."""
    yield _version(spec)
    yield from _of_configuration(spec)


def _version(spec: Spec) -> ImmutableField:
    version = spec.parallelcluster.version
    why = "only the version of ParallelCluster that made a cluster updates it"
    if update_policies.policies(version) is None:
        why += f"; which other fields of the cluster are fixed is not known for {version}"
    return ImmutableField("parallelcluster.version", why, update_policies.source_of_needs())


def _of_configuration(spec: Spec) -> Iterator[ImmutableField]:
    version = spec.parallelcluster.version
    sources = update_policies.sources_of(version)
    for key in _fixed_keys(version):
        for path in _cluster_paths(spec, key):
            yield ImmutableField(path_text(path), f"ParallelCluster refuses an update that changes {key}", sources[key])


def _fixed_keys(version: str) -> Iterator[str]:
    """Yield the keys that no update changes. Sections are left out: what counts is what they hold."""
    policies = update_policies.policies(version) or {}
    for key in policies:
        if update_policies.update_need(version, key) == "unsupported" and not any(
            key_.startswith(f"{key}.") for key_ in policies
        ):
            yield key


def _cluster_paths(spec: Spec, key: str) -> Iterator[Path]:
    if key in _origins():
        for pattern in _origins()[key]:
            yield from paths_in(spec, pattern)
        return
    for rendered in positions_in(spec, key):
        path = spec_path(spec, rendered)
        if rendered[0] != "SharedStorage" or _of_that_kind(spec, rendered):
            yield path


def _of_that_kind(spec: Spec, rendered: Path) -> bool:
    """Say whether a key of a shared file system speaks of one that the cluster makes, of the kind that the spec has."""
    file_system = spec.file_systems[int(rendered[1])]
    section = {"ebs": "EbsSettings", "efs": "EfsSettings"}.get(file_system.kind)
    return rendered[2] == section and file_system.settings.id is None


@cache
def _origins() -> Mapping[str, list[str]]:
    with FilePath(__file__).with_name("immutable_fields.yaml").open("rb") as file:
        origins: Mapping[str, list[str]] = yaml.load(file, Loader=yaml.CSafeLoader)
    return origins


class _Count(NamedTuple):
    """How many there are, with the fewest and the most nodes."""

    least: int = 0
    most: int = 0

    def with_nodes(self, each: int, least: int, most: int) -> _Count:
        return _Count(self.least + each * least, self.most + each * most)


def metric_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield the custom metrics of a cluster, by the steps of their price, and their log."""
    metrics, events = _metrics(spec), _events(spec)
    least, most = (sum(count[end] for count in metrics.values()) for end in (0, 1))
    ends = [*list(_STEPS)[1:], None]
    for (first, price), end in zip(_STEPS.items(), ends, strict=True):
        count = _between(least, first, end), _between(most, first, end)
        if count[1]:
            what = "custom metrics in CloudWatch" + (f" beyond {first:,}" if first else "")
            each = prices.service(price, spec.region)
            yield by_the_month(what, "metric", count, each, _basis(metrics, count[1], each))
    if events.most:
        yield _log(events, prices.service("log_ingested_gb", spec.region))


def _log(events: _Count, price: Price | None) -> CostLine:
    gb = BYTES_OF_EVENT * _MINUTES_A_MONTH / 1e9
    count = (round(events.least * gb, 2), round(events.most * gb, 2))
    basis = "taken in every month, by estimate; keeping it costs besides"
    return by_the_month("log of the metrics in CloudWatch", "GB", count, price, basis)


def _metrics(spec: Spec) -> dict[str, _Count]:
    """Return the custom metrics by their group."""
    return {group: _count(spec, group) for group in dict.fromkeys(spec.monitoring.cloudwatch_metrics)}


def _count(spec: Spec, metric_group: str) -> _Count:
    count = _Count()
    for kind in node_kinds(spec).values():
        if metric_group not in groups_of(spec, kind.role, kind.queue):
            continue
        if kind.role == "head":
            count = count.with_nodes(OF_SLURM if metric_group == "slurm" else SYSTEM_OF_HEAD, 1, 1)
        elif kind.role == "login":
            logins = sum(pool.count for _, pool in spec.login_pools())
            count = count.with_nodes(SYSTEM, logins, logins)
        elif kind.queue is not None:
            for nodes in spec.groups_in(kind.queue):
                count = count.with_nodes(metrics_of(nodes, metric_group, spec), nodes.min_nodes, nodes.max_nodes)
    return count


def _events(spec: Spec) -> _Count:
    """Return the log events a minute."""
    metric_groups = dict.fromkeys(spec.monitoring.cloudwatch_metrics) if spec.monitoring.logs else {}
    count = _Count(int("slurm" in metric_groups), int("slurm" in metric_groups))
    for group in spec.node_groups():
        each = sum(events_of(group, metric_group, spec) for metric_group in metric_groups)
        count = count.with_nodes(each, group.min_nodes, group.max_nodes)
    return count


def _between(count: int, first: int, end: int | None) -> int:
    return max(0, (count if end is None else min(count, end)) - first)


def _basis(metrics: dict[str, _Count], most: int, each: Price | None) -> str:
    parts = ", ".join(f"{group} {count.most:,}" for group, count in metrics.items())
    month = "" if each is None else f"USD {most * each.usd:,.2f} a month with the most nodes; "
    return f"{month}{parts} at most, each paid for the hours in which its node runs"
