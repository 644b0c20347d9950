"""Dashboards as Grafana takes them, made once by `make generate` and kept in grafana.json: see grafana_files.py.

Grafana's SDK takes a fifth of a second to import, longer than all else that a rendering does.
"""

from __future__ import annotations

import json
from typing import Any

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from trainyard.monitoring.dashboard import Dashboard, Panel, Row, dashboards
from trainyard.monitoring.grafana_panel import SOURCE, UID, grafana_panel, grafana_words, stable_id

TAG = "trainyard"
_ALL = models.VariableOption(selected=True, text=["All"], value=["$__all"])


def compiled_dashboards() -> str:
    """Return the text of grafana.json: each dashboard whole, its panels apart, each with what it needs."""
    return json.dumps([_compiled(dashboard) for dashboard in dashboards()], indent=1, sort_keys=True) + "\n"


def _compiled(dashboard: Dashboard) -> dict[str, Any]:
    return {
        "id": dashboard.id,
        "needs": list(dashboard.needs),
        "document": _plain(_frame(dashboard).build()),
        "rows": [_row(row) for row in dashboard.rows],
    }


def _row(row: Row) -> dict[str, Any]:
    heading = _plain(builders.Row(row.title).id(stable_id(f"row {row.title}")).build())
    return {"row": heading, "panels": [_panel(panel) for panel in row.panels]}


def _panel(panel: Panel) -> dict[str, Any]:
    return {"needs": list(panel.needs), "panel": _plain(grafana_panel(panel))}


def _frame(dashboard: Dashboard) -> builders.Dashboard:
    made = builders.Dashboard(dashboard.title).uid(UID.format(dashboard.id)).description(dashboard.description)
    made = made.tags([TAG]).refresh("30s").time("now-1h", "now").timezone("browser").editable()
    made = made.tooltip(models.DashboardCursorSync.CROSSHAIR).link(_others())
    made = made.with_variable(builders.DatasourceVariable("datasource").label("Data source").type("prometheus"))
    for name, query in grafana_words()["variables"].items():
        made = made.with_variable(_variable(name, query))
    return made


def _others() -> builders.DashboardLink:
    """Return the list of all dashboards of ours that this Grafana has."""
    link = builders.DashboardLink("Trainyard").type(models.DashboardLinkType.DASHBOARDS).tags([TAG])
    return link.as_dropdown(True).include_vars(True).keep_time(True)  # noqa: FBT003  the SDK's signature


def _variable(name: str, query: str) -> builders.QueryVariable:
    made = builders.QueryVariable(name).label(name.capitalize()).query(query).datasource(SOURCE)
    made = made.multi(True).include_all(True).all_value(".*").current(_ALL)  # noqa: FBT003  the SDK's signature
    made = made.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
    return made.sort(models.VariableSort.NATURAL_ASC)


def _plain(model: object) -> Any:
    return json.loads(JSONEncoder().encode(model))
