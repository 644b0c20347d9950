"""That what first_nodes.yaml and recorded_totals.yaml name is there, and can tell what it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import trainyard.operate.monitoring.viewer.panel_queries as module
from tests.monitoring.promql import named_metrics
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recorded_metrics
from trainyard.operate.monitoring.viewer.panel_queries import node_series, ranking, recorded_totals


@pytest.mark.parametrize(
    ("name", "by_query"), [("first_nodes.yaml", node_series), ("recorded_totals.yaml", recorded_totals)]
)
def test_every_panel_that_is_named_is_there(name, by_query):
    file = Path(module.__file__).with_name(name)
    named = {(dashboard, panel) for dashboard, panels in yaml.safe_load(file.read_text()).items() for panel in panels}
    assert named <= {(dashboard.id, panel.id) for dashboard in dashboards() for panel in dashboard.panels()}
    assert len(by_query()) == len(named)


def test_every_series_is_recorded_of_nodes():
    recorded = recorded_metrics()
    assert all({"cluster", "queue", "node_name"} <= recorded[series] for series in node_series().values())


def test_every_query_wants_a_few_and_can_be_asked_of_some_nodes():
    for expr in node_series():
        assert ranking(expr, 500).most < 500, expr
        assert 'node_name=~"$node"' in expr


def test_every_total_asks_for_what_is_recorded_and_can_be_asked_of_some_nodes():
    for expr, total in recorded_totals().items():
        assert named_metrics(total) <= set(recorded_metrics())
        assert 'node_name=~"$node"' in expr
