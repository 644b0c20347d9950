"""Which recorded series tells among which nodes the first few GPUs or interfaces are: first_nodes.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from trainyard.monitoring.dashboard import dashboards


@cache
def node_series() -> dict[str, str]:
    """Return the recorded series by the queries that it is for."""
    content: dict[str, dict[str, str]] = yaml.load(
        Path(__file__).with_suffix(".yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return {
        query.expr: content[dashboard.id][panel.id]
        for dashboard in dashboards()
        for panel in dashboard.panels()
        for query in panel.queries
        if panel.id in content.get(dashboard.id, {})
    }
