"""Every check, in the order in which its findings are told, with what it needs to be of any use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.clocks import clocks
from trainyard.operate.monitoring.verify.cloudwatch import cloudwatch
from trainyard.operate.monitoring.verify.grafana import grafana
from trainyard.operate.monitoring.verify.instance_tags import instance_tags
from trainyard.operate.monitoring.verify.metrics import metrics
from trainyard.operate.monitoring.verify.panels import panels
from trainyard.operate.monitoring.verify.remote_write import credentials, remote_write, rights
from trainyard.operate.monitoring.verify.rules import alerting, rules
from trainyard.operate.monitoring.verify.same_name import same_name
from trainyard.operate.monitoring.verify.security_groups import ports, security_groups
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.targets import targets
from trainyard.operate.monitoring.verify.workspace import workspace

Needs = Literal["account", "keeper", "samples"]
"""samples: an answer of the keeper means something only where samples arrive at it."""


class Check(NamedTuple):
    """A check."""

    title: str
    """What it looks at, for those who wait."""
    needs: Needs
    find: Callable[[Situation], Iterator[Finding]]


CHECKS = (
    Check("the workspace", "account", workspace),
    Check("rights of the head node", "account", rights),
    Check("tags of instances", "account", instance_tags),
    Check("security groups", "account", security_groups),
    Check("targets", "samples", targets),
    Check("ports of targets", "samples", ports),
    Check("clusters of the same name", "samples", same_name),
    Check("remote_write", "samples", remote_write),
    Check("credentials", "samples", credentials),
    Check("metrics and labels", "samples", metrics),
    Check("clocks", "samples", clocks),
    Check("rules", "keeper", rules),
    Check("panels of dashboards", "samples", panels),
    Check("who hears of alerts", "account", alerting),
    Check("dashboards in CloudWatch", "account", cloudwatch),
    Check("dashboards in Grafana", "account", grafana),
)
