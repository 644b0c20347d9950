"""What a plan says of a cluster of ParallelCluster: its price, and how long the cluster and its nodes take."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.deploy.plan.compute_cost import compute_lines
from trainyard.deploy.plan.cost_line import CostLine, by_the_hour, by_the_month, public_addresses, volume_lines
from trainyard.deploy.plan.expected_time import Minutes, PlannedStage
from trainyard.deploy.plan.immutable_fields import ImmutableField
from trainyard.deploy.plan.time_budget import NodeTime, TimeBudget, time_budget
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.platforms.parallelcluster.immutable_fields import fields_that_pcluster_refuses
from trainyard.platforms.parallelcluster.metric_cost import metric_lines
from trainyard.spec.cluster import Spec
from trainyard.spec.login_nodes import LoginPool


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
    yield PlannedStage("cluster", "the cluster's own stack, apart from the head node", None)
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
