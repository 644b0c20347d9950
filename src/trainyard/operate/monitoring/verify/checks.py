"""Every check, in the order in which its findings are told, with what it needs to be of any use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from trainyard.edge.prometheus_api import Sample
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.cloudwatch import cloudwatch
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.grafana import grafana
from trainyard.operate.monitoring.verify.instance_tags import instance_tags
from trainyard.operate.monitoring.verify.metrics import metrics
from trainyard.operate.monitoring.verify.panels import panels
from trainyard.operate.monitoring.verify.remote_write import credentials, remote_write, rights
from trainyard.operate.monitoring.verify.rules import alert_delivery, rules
from trainyard.operate.monitoring.verify.same_name import same_name
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


Needs = Literal["account", "keeper", "samples"]
"""samples: an answer of the keeper means something only where samples arrive at it."""


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
