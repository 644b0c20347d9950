"""That what first_nodes.yaml names is there, and can tell what it is asked."""

from __future__ import annotations

from pathlib import Path

import yaml

import trainyard.operate.monitoring.viewer.panel_queries as module
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recorded_metrics
from trainyard.operate.monitoring.viewer.panel_queries import node_series, ranking


def test_every_panel_that_is_named_is_there():
    file = Path(module.__file__).with_name("first_nodes.yaml")
    named = {(dashboard, panel) for dashboard, panels in yaml.safe_load(file.read_text()).items() for panel in panels}
    assert named <= {(dashboard.id, panel.id) for dashboard in dashboards() for panel in dashboard.panels()}
    assert len(node_series()) == len(named)


def test_every_series_is_recorded_of_nodes():
    recorded = recorded_metrics()
    assert all({"cluster", "queue", "node_name"} <= recorded[series] for series in node_series().values())


def test_every_query_wants_a_few_and_can_be_asked_of_some_nodes():
    for expr in node_series():
        assert ranking(expr, 500).most < 500, expr
        assert 'node_name=~"$node"' in expr
