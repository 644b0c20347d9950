"""Where an alert is seen: a panel of a dashboard, in words and as its address in Grafana."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.monitoring.alert import Alert
from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards
from trainyard.monitoring.grafana_files import UID, stable_id

# Which label of an alert chooses the value of a variable; a page shows all of the others.
_LABELS = {"cluster": "cluster", "node": "node_name", "job": "jobid"}


class AlertPanel(NamedTuple):
    """A panel, and the dashboard that it is on."""

    dashboard: Dashboard
    panel: Panel

    def words(self) -> str:
        """Return what it is called and how it is opened, as a template of Prometheus."""
        cluster = "{{ with $labels.cluster }} {{ . }}{{ end }}"
        return f"{self.title()}; trainyard monitor view{cluster} shows it"

    def title(self) -> str:
        """Return what it is called."""
        return f'"{self.panel.title}" of the dashboard "{self.dashboard.title}"'

    def url(self, grafana_url: str) -> str:
        """Return its address below that of Grafana, as a template that chooses what the labels of the alert name.

        https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/create-dashboard-url-variables/
        viewPanel: https://github.com/grafana/grafana/blob/main/public/app/features/dashboard-scene/scene/DashboardSceneUrlSync.ts
        """
        chosen = "".join(
            f"{{{{ with $labels.{label} }}}}&var-{variable}={{{{ . | urlquery }}}}{{{{ end }}}}"
            for variable, label in _LABELS.items()
            if variable in self.dashboard.variables
        )
        uid, panel = UID.format(self.dashboard.id), stable_id(self.panel.id)
        return f"{grafana_url}/d/{uid}?viewPanel=panel-{panel}{chosen}"

    def chosen(self, labels: dict[str, set[str]]) -> dict[str, str]:
        """Return the values of its variables, of the values that the labels of alerts have: those that are the same.

        Of several clusters, nodes and jobs that are called alike are not the same.
        """
        if len(labels.get("cluster", ())) > 1:
            return {}
        named = {variable: labels.get(label, set()) for variable, label in _LABELS.items()}
        variables = self.dashboard.variables
        return {name: min(values) for name, values in named.items() if name in variables and len(values) == 1}


def alert_panel(alert: Alert) -> AlertPanel:
    """Return where an alert is seen. Raises ValueError where there is no such dashboard or panel."""
    dashboard_id, _, panel_id = alert.panel.partition("/")
    for dashboard in dashboards():
        for panel in dashboard.panels():
            if (dashboard.id, panel.id) == (dashboard_id, panel_id):
                return AlertPanel(dashboard, panel)
    raise ValueError(f"{alert.id}: there is no panel {alert.panel!r}")
