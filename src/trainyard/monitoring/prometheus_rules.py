"""Alerts, and what is recorded for dashboards, as the rules that Prometheus reads.

Amazon Managed Service for Prometheus takes the same document, as the Data of an AWS::APS::RuleGroupsNamespace:
https://docs.aws.amazon.com/prometheus/latest/APIReference/yaml-RuleGroupsNamespaceData.html
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trainyard.monitoring.alert import GROUPS, Alert, alerts
from trainyard.monitoring.recorded import recording_groups


def recording_rules() -> dict[str, Any]:
    """Return the document of what is recorded for the dashboards: without it, most of their panels stay empty."""
    return {"groups": list(recording_groups())}


def rules_document(of: Iterable[Alert] | None = None) -> dict[str, Any]:
    """Return both in one document. Without alerts given, all of them."""
    return {"groups": [*recording_rules()["groups"], *alert_rules(of)["groups"]]}


def alert_rules(of: Iterable[Alert] | None = None) -> dict[str, Any]:
    """Return the document: a group for each group of alerts that has some. Without alerts given, all of them."""
    chosen = tuple(alerts() if of is None else of)
    groups = {group: [_rule(alert) for alert in chosen if alert.group == group] for group in GROUPS}
    return {"groups": [{"name": f"trainyard-{group}", "rules": rules} for group, rules in groups.items() if rules]}


def runbook(alert: Alert) -> str:
    """Return where it is told what to do: by the command that everybody has who has deployed, and on its page."""
    return f"trainyard explain {alert.id}, or docs/alerts.md#{alert.id}"


def _rule(alert: Alert) -> dict[str, Any]:
    return {
        "alert": alert.id,
        "expr": alert.expr,
        "for": alert.for_,
        "labels": {"severity": alert.severity},
        "annotations": {
            "summary": alert.summary,
            "description": alert.description,
            "runbook": runbook(alert),
        },
    }
