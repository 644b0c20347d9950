"""Every check, in the order in which its findings are told, with what it needs to be of any use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from trainyard.edge.prometheus_api import Sample
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.dashboards import cloudwatch, grafana, panels
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.metrics import metrics
from trainyard.operate.monitoring.verify.remote_write import credentials, remote_write, rights
from trainyard.operate.monitoring.verify.rules import alert_delivery, rules
from trainyard.operate.monitoring.verify.security_groups import ports, security_groups
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.targets import targets
from trainyard.operate.monitoring.verify.workspace import workspace
from trainyard.operate.nodes.durations import short_list

# A scrape takes up to a second on a busy node, and what it says of the time is as old.
_MOST_S = 2
# The kernel's own word for a clock that nobody has set for long: the alert NodeClockNotSynchronising of
# https://github.com/prometheus/node_exporter/blob/master/docs/node-mixin/alerts/alerts.libsonnet
_UNSET_S = 16
Needs = Literal["account", "keeper", "samples"]
"""samples: an answer of the keeper means something only where samples arrive at it."""


def clocks(situation: Situation) -> Iterator[Finding]:
    """Yield the nodes whose clock is wrong, and those whose clock nobody keeps right."""
    of = situation.cluster
    apart = situation.values(f"abs(node_time_seconds{{{of}}} - timestamp(node_time_seconds{{{of}}})) > {_MOST_S}")
    if apart:
        worst = max(sample.value for sample in apart)
        message = f"clocks differ from the head node's by up to {worst:.0f} s: {_listed(apart)}"
        yield finding("clock-wrong", message)
    unset = situation.values(
        f"node_timex_sync_status{{{of}}} == 0 "
        f"and on (cluster, instance) node_timex_maxerror_seconds{{{of}}} >= {_UNSET_S}"
    )
    if unset:
        yield finding("clock-not-kept", f"nothing keeps the clock of {_listed(unset)} right")


def _listed(samples: Sequence[Sample]) -> str:
    return short_list(
        sorted(sample.labels.get("node_name") or sample.labels.get("instance", "?") for sample in samples)
    )


def same_name(situation: Situation) -> Iterator[Finding]:
    """Yield head nodes beyond the first, and nodes that are scraped and that the account does not have."""
    on_nodes = [target for target in situation.targets if target.labels.get("instance_id")]
    heads = {on_node.labels["instance_id"] for on_node in on_nodes if on_node.labels.get("node_type") == "HeadNode"}
    if len(heads) > 1:
        message = f"{len(heads)} head nodes send as {situation.spec.name}: {short_list(sorted(heads))}"
        yield finding("cluster-name-twice", message)
    elif situation.account is not None:
        own_ids = {instance.id for instance in situation.account.instances}
        strange = sorted({on_node.labels["instance_id"] for on_node in on_nodes} - own_ids)
        if strange:
            message = (
                f"nodes of {situation.spec.name} are scraped that the account does not have: {short_list(strange)}"
            )
            yield finding("cluster-name-twice", message, severity="warning")


def instance_tags(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each instance whose tags hide it, or give it labels that no query asks for."""
    account = situation.account
    for instance, wrong in account.discovery.checked_tags(account) if account is not None else ():
        situation.looked_at["instances"] += 1
        for tag, value, expected in wrong:
            written = f"has {value!r} in tag {tag}" if value else f"lacks tag {tag}"
            yield finding("instance-tag-wrong", f"{instance.id} {written}; discovery wants {expected}")


class MonitoringCheck(NamedTuple):
    """A check."""

    title: str
    """What it looks at, for those who wait."""
    needs: Needs
    find: Callable[[Situation], Iterator[Finding]]


CHECKS = (
    MonitoringCheck("the workspace", "account", workspace),
    MonitoringCheck("rights of the head node", "account", rights),
    MonitoringCheck("tags of instances", "account", instance_tags),
    MonitoringCheck("security groups", "account", security_groups),
    MonitoringCheck("targets", "samples", targets),
    MonitoringCheck("ports of targets", "samples", ports),
    MonitoringCheck("clusters of the same name", "samples", same_name),
    MonitoringCheck("remote_write", "samples", remote_write),
    MonitoringCheck("credentials", "samples", credentials),
    MonitoringCheck("metrics and labels", "samples", metrics),
    MonitoringCheck("clocks", "samples", clocks),
    MonitoringCheck("rules", "keeper", rules),
    MonitoringCheck("panels of dashboards", "samples", panels),
    MonitoringCheck("who hears of alerts", "account", alert_delivery),
    MonitoringCheck("dashboards in CloudWatch", "account", cloudwatch),
    MonitoringCheck("dashboards in Grafana", "account", grafana),
)
