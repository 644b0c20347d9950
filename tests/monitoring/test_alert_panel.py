"""Every alert leads to a panel that is there, shows what it is about, and opens on its job or its node."""

from __future__ import annotations

import pytest

from tests.monitoring.alert_cases import cases_of
from tests.monitoring.promql import named_metrics
from trainyard.architectures import Architecture, all_architectures
from trainyard.monitoring.alert import Alert, alert_of, alerts, alerts_for
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.monitoring.dashboard import dashboards_for
from trainyard.monitoring.features import NEEDS, features_of
from trainyard.monitoring.grafana_files import grafana_documents, stable_id
from trainyard.monitoring.prometheus_rules import recording_groups, recording_intervals_s
from trainyard.spec.parsing import parse

EACH = pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert.id)
RECORDED = {rule["record"]: rule["expr"] for group in recording_groups() for rule in group["rules"]}


def asked_of(*expressions: str) -> set[str]:
    """Return the metrics that expressions name, and those that these are recorded of: one of itself, even."""
    asked, rest = set[str](), set(expressions)
    while rest:
        named = named_metrics(rest.pop()) - asked
        asked |= named
        rest |= {RECORDED[name] for name in named if name in RECORDED}
    return asked


# Which host is which node: it is in nearly every expression.
FILTERS = {"node:name:max", "node:names:max", "up"}
EVERYWHERE = asked_of(*FILTERS) - {"up"}
OTHERWISE = {
    "credentials-expiring": "what fails next",
    "node-unhealthy": "what makes it unhealthy",
    "slurm-node-down": "with the reason that Slurm has",
    "slurm-node-drained": "with the reason that Slurm has",
    "slurmctld-slow": "what it is busy with",
}
FILES = grafana_documents(NEEDS)
EVERY_S = recording_intervals_s()


@EACH
def test_grafana_has_the_panel_by_the_number_in_the_address(alert: Alert):
    dashboard, panel = alert_panel(alert)
    path = f"/d/{FILES[dashboard.id]['uid']}?viewPanel=panel-{stable_id(panel.id)}"
    assert alert_panel(alert).url("https://grafana.example").partition("{{")[0] == f"https://grafana.example{path}"
    (titled,) = [one for one in FILES[dashboard.id]["panels"] if one["id"] == stable_id(panel.id)]
    assert titled["title"] == panel.title


@EACH
def test_the_panel_shows_what_the_alert_asks_for(alert: Alert):
    _, panel = alert_panel(alert)
    expressions = [query.expr for query in panel.queries]
    shown = asked_of(*expressions)
    named = named_metrics(alert.expr) & set[str]().union(*map(named_metrics, expressions))
    its_own = "ALERTS" in shown or asked_of(alert.expr) & shown - EVERYWHERE or named - FILTERS
    assert bool(its_own) != (alert.id in OTHERWISE)


@EACH
def test_the_panel_has_what_it_shows_soon_after_the_alert(alert: Alert):
    _, panel = alert_panel(alert)
    recorded = set[str]().union(*(named_metrics(query.expr) for query in panel.queries)) & set(EVERY_S)
    # What is known of instance types is there from the beginning.
    assert [name for name in sorted(recorded) if EVERY_S[name] > 2 * 60 and not name.startswith("type:")] == []


@EACH
def test_a_page_about_one_node_or_job_opens_on_that_of_the_alert(alert: Alert):
    chosen = {"node": "node_name", "job": "jobid"}.get(alert_panel(alert).dashboard.about_one)
    fired = [labels["labels"] for case in cases_of(alert.id) for labels in case["fires"]]
    assert chosen is None or all(chosen in labels for labels in fired)


@pytest.mark.parametrize("architecture", all_architectures(), ids=lambda architecture: architecture.name)
def test_a_cluster_has_the_panels_of_all_alerts_that_can_fire_there(architecture: Architecture):
    has = features_of(parse(architecture.text, "cluster.yaml").spec)
    there = {f"{dashboard.id}/{panel.id}" for dashboard in dashboards_for(has) for panel in dashboard.panels()}
    assert {alert.panel for alert in alerts_for(has)} <= there


def test_a_panel_that_is_not_there_is_refused():
    content = {**dict.fromkeys(("summary", "description", "why", "expr"), "x"), "group": "gpu", "severity": "info"}
    lists = {"remedy": ["x"], "sources": ["https://example.com"], "read": "2026-11-28", "for": "0m"}
    with pytest.raises(ValueError, match="a: there is no panel 'job/gone'"):
        alert_panel(alert_of("a", {**content, **lists, "panel": "job/gone"}))


def test_what_all_places_of_an_alert_share_is_chosen():
    (hang,) = [alert for alert in alerts() if alert.id == "job-hangs"]
    labels = {"cluster": {"llm"}, "jobid": {"7"}, "node_name": {"a", "b"}, "queue": {"q"}}
    assert alert_panel(hang).chosen(labels) == {"cluster": "llm", "job": "7"}


def test_nothing_is_chosen_where_alerts_are_of_several_clusters():
    (hang,) = [alert for alert in alerts() if alert.id == "job-hangs"]
    assert alert_panel(hang).chosen({"cluster": {"a", "b"}, "jobid": {"7"}}) == {}
