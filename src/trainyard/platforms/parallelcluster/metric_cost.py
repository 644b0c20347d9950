"""What metrics in CloudWatch cost an hour: each of them, by the hours in which it is sent, and the log they come in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog import prices
from trainyard.catalog.price import Price
from trainyard.deploy.plan.cost_line import CostLine, by_the_month
from trainyard.render.cloudwatch_metrics import OF_SLURM, SYSTEM, SYSTEM_OF_HEAD, events_of, groups_of, metrics_of
from trainyard.render.nodes import node_kinds
from trainyard.spec.cluster import Spec

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
