"""Whether every panel of every dashboard has data, by asking what it asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards_for
from trainyard.monitoring.features import features_of
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import short_list

_AT_ONCE = 8
# Of a rate: four scrapes, as Grafana has it.
# https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/#use-__rate_interval
_RATE_INTERVAL = "2m"


class _PanelCheck(NamedTuple):
    """What became of a panel."""

    dashboard: Dashboard
    panel: Panel
    has_data: bool
    error: TrainyardError | None = None


def panels(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each dashboard with panels that are empty, and one for each query that fails."""
    pairs = [
        (dashboard, panel) for dashboard in dashboards_for(features_of(situation.spec)) for panel in dashboard.panels()
    ]
    situation.looked_at["panels"] += len(pairs)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        checks = list(pool.map(lambda both: _panel_check(situation, *both), pairs))
    empty: dict[str, list[str]] = {}
    for check in checks:
        if check.error is not None:
            message = f"panel {check.panel.title} of {check.dashboard.title} cannot be drawn: {check.error.problem}"
            yield finding("panel-query-failing", message, check.error.hint)
        elif not check.has_data and not check.panel.may_be_empty:
            empty.setdefault(check.dashboard.title, []).append(check.panel.title)
    for title, names in empty.items():
        yield finding("panel-empty", f"dashboard {title} has no data for {short_list(names)}")


def cluster_query(expr: str, name: str) -> str:
    """Return a query of a panel for one cluster, with all of its queues and nodes."""
    cluster = json.dumps(re.escape(name))[1:-1]
    values = {"$cluster": cluster, "$queue": ".*", "$node": ".*", "$__rate_interval": _RATE_INTERVAL}
    return re.sub(r"\$(?:__rate_interval|cluster|queue|node)\b", lambda match: values[match[0]], expr)


def _panel_check(situation: Situation, dashboard: Dashboard, panel: Panel) -> _PanelCheck:
    """Ask one query after the other until one has data: the others of a panel may rightly be silent."""
    try:
        has_data = any(situation.values(cluster_query(query.expr, situation.spec.name)) for query in panel.queries)
    except TrainyardError as error:
        return _PanelCheck(dashboard, panel, has_data=False, error=error)
    return _PanelCheck(dashboard, panel, has_data=has_data)
