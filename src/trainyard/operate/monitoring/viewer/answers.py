"""What the page asks for, as JSON. Whatever Prometheus does wrong is part of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from threading import Lock
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.prometheus_api import Sample
from trainyard.errors import TrainyardError
from trainyard.foreign_text import cut_line
from trainyard.monitoring.alert import SEVERITIES, Alert, alerts
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.monitoring.dashboard import VARIABLES, Dashboard, dashboards
from trainyard.operate.monitoring.viewer.log_lines import LogLines
from trainyard.operate.monitoring.viewer.memory import Memory
from trainyard.operate.monitoring.viewer.panel_data import panel_data
from trainyard.operate.monitoring.viewer.panel_queries import PanelQueries
from trainyard.operate.monitoring.viewer.requests import BadRequestError, ViewerRequest
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables, variable_choices
from trainyard.operate.monitoring.viewer.source import MetricsSource

THREADS = 6
"""How many queries are asked at once: Prometheus itself takes twenty, and shares the processors among them."""
_KEEP_S = 15.0
_MOST_BEGUN = 4
"""How many pages may wait for their scripts. What is asked for none is given up."""
# Prometheus writes this series for every alert; those without the label belong to no single cluster.
# https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/#inspecting-alerts-during-runtime
# The watchdog always fires.
_FIRING = 'ALERTS{alertstate="firing", alertname!="watchdog", cluster=~"$cluster|"}'
_PLACES = ("node_name", "node", "gpu", "device", "queue", "partition", "mountpoint", "job", "instance")
_NODES = {"node_name", "node", "instance"}
_MOST_PLACES = 20
_LONGEST_NAME = 120


class _DashboardQuestion(NamedTuple):
    dashboard: Dashboard
    selection: Selection
    window: Window


class Answers:
    """The answers of one Prometheus, several at once."""

    def __init__(self, api: MetricsSource, where: Account | None = None) -> None:
        """Ask nothing yet. ``where`` is the account that has the logs, if any is known."""
        self._api = api
        self._logs = LogLines(api, where)
        self._asking = PanelQueries(api)
        self._memory = Memory(_KEEP_S)
        self._beginning = Lock()
        self._begun: dict[_DashboardQuestion, list[Future[dict[str, Any]]]] = {}
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="panel")

    def panels(self, dashboard_id: str, request: ViewerRequest) -> Iterator[dict[str, Any]]:
        """Yield the time that is shown, and then the answers of all panels, each as soon as it is there."""
        question = _question(dashboard_id, request)
        window = question.window
        yield {"from": window.start_s, "to": window.end_s, "step": window.step_s}
        with self._beginning:
            futures = self._begun.pop(question, None) or self._begin(question)
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()  # nobody waits for what has not begun

    def prepare(self, dashboard_id: str, request: ViewerRequest) -> None:
        """Begin to ask what the page of a dashboard will want to know, while a browser still reads its scripts."""
        question = _question(dashboard_id, request)
        about_one = question.dashboard.about_one
        if about_one and not getattr(question.selection, about_one):
            return  # the page has to choose first
        with self._beginning:
            if question in self._begun:
                return
            while len(self._begun) >= _MOST_BEGUN:
                for future in self._begun.pop(next(iter(self._begun))):
                    future.cancel()
            self._begun[question] = self._begin(question)

    def _begin(self, question: _DashboardQuestion) -> list[Future[dict[str, Any]]]:
        dashboard, selection, window = question
        return [self._pool.submit(panel_data, self._asking, panel, selection, window) for panel in dashboard.panels()]

    def variables(self, request: ViewerRequest) -> dict[str, Any]:
        """Return what can be chosen of, or why nothing can be."""
        selection, window = request.selection(), request.window()
        key = ("variables", selection, window)
        try:
            values: dict[str, Any] = self._memory.get(key, lambda: variable_choices(self._api, selection, window))
        except TrainyardError as error:
            return {"error": {"problem": error.problem, "hint": error.hint}}
        return values

    def headline(self, request: ViewerRequest) -> dict[str, Any]:
        """Return what fires now."""
        selection, window = request.selection(), request.window()
        key = ("headline", selection, window.end_s)
        values: dict[str, Any] = self._memory.get(key, lambda: headline(self._api, selection, window))
        return {**values, "prometheus": self._api.url}

    def log(self, dashboard_id: str, request: ViewerRequest) -> dict[str, Any]:
        """Return the last lines of the log of the chosen node, or of the nodes of the chosen job."""
        dashboard, selection, window = _question(dashboard_id, request)
        about_one = dashboard.about_one
        if not about_one or len(getattr(selection, about_one)) != 1:
            raise BadRequestError("a log is of one node or one job")
        return self._logs.of(dashboard, selection, window)

    def close(self) -> None:
        """Ask nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _question(dashboard_id: str, request: ViewerRequest) -> _DashboardQuestion:
    dashboard = next((dashboard for dashboard in dashboards() if dashboard.id == dashboard_id), None)
    if dashboard is None:
        raise BadRequestError("there is no such dashboard")
    return _DashboardQuestion(dashboard, request.selection(), request.window())


def headline(api: MetricsSource, selection: Selection, window: Window) -> dict[str, Any]:
    """Return the alerts that fire, the worst first, each with where; and whether there are any rules at all."""
    try:
        firing = api.query(fill_variables(_FIRING, selection, window), window.end_s)
    except TrainyardError as error:
        return {"error": {"problem": error.problem, "hint": error.hint}}
    return {"firing": _by_alert(firing), "rules": None if firing else _rules(api)}


def _by_alert(firing: list[Sample]) -> list[dict[str, Any]]:
    by_id = {alert.id: alert for alert in alerts()}
    names = sorted({sample.labels.get("alertname", "") for sample in firing})
    rows = [_alert(name, [sample for sample in firing if sample.labels.get("alertname", "") == name]) for name in names]
    for row in (row for row in rows if row["name"] in by_id):
        alert = by_id[row["name"]]
        row["about"] = alert.remedy[0]
        row["panel"] = _panel(alert, [sample for sample in firing if sample.labels["alertname"] == alert.id])
    return sorted(rows, key=lambda row: (_rank(row["severity"]), row["name"]))


def _alert(name: str, firing: list[Sample]) -> dict[str, Any]:
    severities = sorted((sample.labels.get("severity", "") for sample in firing), key=_rank)
    places = sorted({_place(sample) for sample in firing} - {""})
    return {
        "name": cut_line(name, _LONGEST_NAME),
        "severity": cut_line(severities[0], _LONGEST_NAME),
        "count": len(firing),
        "places": places[:_MOST_PLACES],
        "more": max(0, len(places) - _MOST_PLACES),
        "about": "",
        "panel": None,
    }


def _panel(alert: Alert, firing: list[Sample]) -> dict[str, Any]:
    """Return where it is seen, and what is chosen there: the node or job that all of them name, and nothing else.

    A page about one node or job opens on that of the first.
    """
    seen = alert_panel(alert)
    shown = firing[:1] if seen.dashboard.about_one else firing
    names = {name for sample in shown for name in sample.labels}
    chosen = {variable: "" for variable in VARIABLES if variable != "cluster"}
    chosen |= seen.chosen({name: {sample.labels.get(name, "") for sample in shown} for name in names})
    return {"dashboard": seen.dashboard.id, "panel": seen.panel.id, "title": seen.panel.title, "chosen": chosen}


def _place(sample: Sample) -> str:
    """Return the two labels that say most of where it is. A name of a node needs no word before it."""
    labels = [(name, sample.labels[name]) for name in _PLACES if sample.labels.get(name)][:2]
    return ", ".join(cut_line(value if name in _NODES else f"{name} {value}", _LONGEST_NAME) for name, value in labels)


def _rank(severity: str) -> int:
    order = tuple(SEVERITIES)
    return order.index(severity) if severity in order else len(order)


def _rules(api: MetricsSource) -> int | None:
    """Return how many rules could fire; None where that cannot be known."""
    try:
        groups = api.rules()
    except TrainyardError:
        return None
    alerts = [rule for group in groups for rule in group.get("rules", ()) if rule.get("type") == "alerting"]
    return len([alert for alert in alerts if alert.get("name") != "watchdog"])
