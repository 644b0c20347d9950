"""A panel shows the limit from which on an alert fires: limits.yaml says which metric has which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.each_case import each_case
from tests.monitoring.promql import named_metrics
from tests.monitoring.test_dashboards import asked
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards

LIMITS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("limits.yaml").read_text(encoding="utf-8"))
EACH_LIMIT = each_case("limit", LIMITS, ids=lambda limit: f"{limit['alert']} {limit['from']}")


def shown_by(limit: dict[str, Any]) -> list[tuple[Dashboard, Panel]]:
    """Return the panels that show the metric itself: its value is what the panel draws, and not how far it is off."""
    return [
        (dashboard, panel)
        for dashboard in dashboards()
        for panel in dashboard.panels()
        if panel.unit == limit.get("unit", panel.unit)
        and first_metric(panel) in limit["metrics"]
        and not any(word in panel.queries[0].expr for word in (":median", " or ", "count ", "count("))
    ]


def first_metric(panel: Panel) -> str:
    expr = asked(panel.queries[0].expr)
    return min(named_metrics(expr), key=expr.index)


@EACH_LIMIT
def test_the_alert_has_the_limit(limit: dict[str, Any]):
    (alert,) = [alert for alert in alerts() if alert.id == limit["alert"]]
    assert limit["limit"] in alert.expr


@EACH_LIMIT
def test_every_panel_that_shows_the_metric_shows_the_limit(limit: dict[str, Any]):
    panels = shown_by(limit)
    assert panels
    without = []
    for dashboard, panel in panels:
        steps = [(step.value, step.colour) for step in panel.thresholds]
        at = next((at for at, (value, _) in enumerate(steps) if value == limit["from"]), None)
        worse = None if at is None else steps[at - 1][1] if limit.get("below") else steps[at][1]
        if worse not in {"orange", "red"}:
            without.append(f"{dashboard.id}/{panel.id}")
    assert without == [], f"thresholds: {limit['from']}"
