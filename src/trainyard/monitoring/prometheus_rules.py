"""Alerts, and what is recorded for dashboards, as the rules that Prometheus reads.

Amazon Managed Service for Prometheus takes the same document, as the Data of an AWS::APS::RuleGroupsNamespace:
https://docs.aws.amazon.com/prometheus/latest/APIReference/yaml-RuleGroupsNamespaceData.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.document.write import yaml_text
from trainyard.monitoring.alert import GROUPS, Alert, alerts
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.monitoring.alertmanager_config import stack_definition
from trainyard.monitoring.events import EVENT, LABELS, RECORD, events
from trainyard.monitoring.prometheus_config import EVALUATION_INTERVAL_S
from trainyard.monitoring.rules_text import GRAFANA_URL, RulesText
from trainyard.monitoring.type_rules import EFA, GPUS, NVLINK, TYPE_LABELS, type_rules

NODE_LABELS = ("cluster", "instance_id", "instance_type", "node_name", "node_type", "queue")
"""Those of a series that is recorded of a node: which one it is."""

QUANTILES = {"queue:nodes:p10": 0.1, "queue:nodes:p50": 0.5, "queue:nodes:p90": 0.9}
"""What is usual among the nodes of a queue: recorded, so that a panel shows it without asking each node."""
OF = "of"
"""Their label for what of: the name of a series of nodes, without its level."""

UNHURRIED_INTERVAL = "2m"
"""How often what can wait is evaluated: most of what is recorded, and alerts that are not urgent."""
RARE_INTERVAL = "4m"
"""How often what hardly ever changes is: Prometheus looks back for five minutes."""

WATCHDOG: dict[str, Any] = {
    "name": "trainyard-watchdog",
    "rules": [
        {
            "alert": "watchdog",
            "expr": "vector(1)",
            "labels": {"severity": "none"},
            "annotations": {"summary": "Alerts are evaluated. This one always fires, and its absence raises an alarm"},
        }
    ],
}
"""An alert that always fires, named as elsewhere: https://runbooks.prometheus-operator.dev/runbooks/general/watchdog/"""


def compiled_rules() -> str:
    """Return the text of rules.json: what stands in every bundle as YAML. See rules_text.py."""
    texts: dict[RulesText, str] = {
        "alert-rules": yaml_text({"groups": [*alert_rules(grafana_url=GRAFANA_URL)["groups"], WATCHDOG]}, blocks=True),
        "alertmanager": stack_definition(),
        "recording-rules": yaml_text(recording_rules(), blocks=True),
        "rules": yaml_text(watched_rules(grafana_url=GRAFANA_URL), blocks=True),
    }
    return json.dumps(texts, indent=1) + "\n"


def recording_rules() -> dict[str, Any]:
    """Return the document of what is recorded for the dashboards: without it, most of their panels stay empty."""
    return {"groups": list(recording_groups())}


def rules_document(of: Iterable[Alert] | None = None, grafana_url: str = "") -> dict[str, Any]:
    """Return both in one document. Without alerts given, all of them."""
    return {"groups": [*recording_rules()["groups"], *alert_rules(of, grafana_url)["groups"]]}


def watched_rules(of: Iterable[Alert] | None = None, grafana_url: str = "") -> dict[str, Any]:
    """Return the same with the watchdog: what our own Prometheus and a workspace of Amazon's evaluate."""
    return {"groups": [*rules_document(of, grafana_url)["groups"], WATCHDOG]}


def alert_rules(of: Iterable[Alert] | None = None, grafana_url: str = "") -> dict[str, Any]:
    """Return the document: two groups at most for each group of alerts. Without alerts given, all of them.

    Without the address of Grafana, they name the path of their panel in any that has the dashboards.
    """
    chosen = tuple(alerts() if of is None else of)
    groups = [
        {
            "name": f"trainyard-{group}{'' if urgent else '-unhurried'}",
            **({} if urgent else {"interval": UNHURRIED_INTERVAL}),
            "rules": [_rule(one, grafana_url) for one in chosen if (one.group, one.is_urgent) == (group, urgent)],
        }
        for group in GROUPS
        for urgent in (True, False)
    ]
    return {"groups": [group for group in groups if group["rules"]]}


def runbook(alert: Alert) -> str:
    """Return where it is told what to do: by the command that everybody has who has deployed, and on its page."""
    return f"trainyard explain {alert.id}, or docs/alerts.md#{alert.id}"


def _rule(alert: Alert, grafana_url: str) -> dict[str, Any]:
    panel = alert_panel(alert)
    return {
        "alert": alert.id,
        "expr": alert.rule,
        "for": alert.for_,
        "labels": {"severity": alert.severity},
        "annotations": {
            "summary": alert.summary,
            "description": alert.description,
            "runbook": runbook(alert),
            "panel": panel.words(),
            "panel_url": panel.url(grafana_url),
        },
    }


@cache
def recorded_metrics() -> dict[str, frozenset[str]]:
    """Return the names of what is recorded, with the labels that each has."""
    listed = (rule for group in _content().values() for rule in group["rules"])
    return {
        **{rule["record"]: frozenset(rule.get("by", NODE_LABELS)) for rule in listed},
        **dict.fromkeys(QUANTILES, frozenset({"cluster", "queue", OF})),
        RECORD: frozenset({EVENT, *LABELS}),
        **dict.fromkeys((EFA, GPUS, NVLINK), frozenset(TYPE_LABELS)),
    }


@cache
def recording_intervals_s() -> dict[str, int]:
    """Return how often each series is recorded, in seconds."""
    return {
        rule["record"]: int(group["interval"].removesuffix("m")) * 60 if "interval" in group else EVALUATION_INTERVAL_S
        for group in recording_groups()
        for rule in group["rules"]
    }


@cache
def banded_metrics() -> tuple[str, ...]:
    """Return of which series of nodes it is recorded what is usual."""
    return tuple(rule["record"] for group in _content().values() for rule in group["rules"] if rule.get("band"))


@cache
def recording_groups() -> tuple[dict[str, Any], ...]:
    """Return the rules in groups, as Prometheus reads them: without an interval, as often as it evaluates all rules."""
    recorded = (
        {
            "name": f"trainyard-recorded-{name}",
            **({"interval": group["interval"]} if "interval" in group else {}),
            "rules": [_recording_rule(**_without_band(rule)) for rule in group["rules"]],
        }
        for name, group in _content().items()
    )
    return (
        *recorded,
        {
            "name": "trainyard-recorded-usual",
            "interval": UNHURRIED_INTERVAL,
            "rules": [*map(_quantile_rule, QUANTILES)],
        },
        {"name": "trainyard-recorded-types", "interval": RARE_INTERVAL, "rules": type_rules()},
        {"name": "trainyard-recorded-events", "rules": [event.rule for event in events() if not event.unhurried]},
        {
            "name": "trainyard-recorded-events-unhurried",
            "interval": UNHURRIED_INTERVAL,
            "rules": [event.rule for event in events() if event.unhurried],
        },
    )


def _without_band(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key != "band"}


def _quantile_rule(record: str) -> dict[str, str]:
    """Return the rule of one quantile, of all series that have a band: one for each would be four times as long."""
    subjects = "|".join(name.removeprefix("node:") for name in banded_metrics())
    of = f'quantile by (cluster, queue, __name__) ({QUANTILES[record]}, {{__name__=~"node:({subjects})"}})'
    return {"record": record, "expr": f'label_replace({of}, "{OF}", "$1", "__name__", "node:(.+)")'}


def _recording_rule(
    record: str, aggregate: str, of: str | list[str], by: Sequence[str] = NODE_LABELS, only: str = ""
) -> dict[str, str]:
    parts = [of] if isinstance(of, str) else of
    added = " + ".join(f"{aggregate} by ({', '.join(by)}) ({part})" for part in parts)
    return {"record": record, "expr": f"{added} {only}".rstrip()}


@cache
def _content() -> dict[str, dict[str, Any]]:
    file = Path(__file__).with_name("recording_rules.yaml")
    content: dict[str, dict[str, Any]] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
