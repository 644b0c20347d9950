"""The line that says what fires."""

from __future__ import annotations

from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.viewer.answers import headline
from trainyard.operate.monitoring.viewer.selection import Selection, Window

HOUR = Window(0, 3600, 60)


def alert(name: str, severity: str, **labels: str) -> tuple[dict[str, str], float]:
    return {"alertname": name, "severity": severity, **labels}, 1.0


def test_the_worst_comes_first_with_where_and_what_to_do():
    firing = [
        alert("exporter-down", "warning", job="node", instance="10.0.0.1:9100"),
        alert("gpu-xid-fatal", "critical", node_name="n1", gpu="3"),
        alert("gpu-xid-fatal", "critical", node_name="n1", gpu="4"),
        alert("something-of-mine", "page"),
    ]
    found = headline(FakeSource(firing), Selection(), HOUR)["firing"]
    assert [(one["name"], one["count"], one["places"]) for one in found] == [
        ("gpu-xid-fatal", 2, ["n1, gpu 3", "n1, gpu 4"]),
        ("exporter-down", 1, ["job node, 10.0.0.1:9100"]),
        ("something-of-mine", 1, []),
    ]
    assert found[0]["about"]
    assert found[2]["about"] == ""


def test_a_thousand_places_are_counted_and_not_listed():
    firing = [alert("node-unhealthy", "critical", node_name=f"n{number}") for number in range(1000)]
    (one,) = headline(FakeSource(firing), Selection(), HOUR)["firing"]
    assert (one["count"], len(one["places"]), one["more"]) == (1000, 20, 980)


def test_it_is_told_how_many_rules_could_fire_where_none_does():
    rules = [{"rules": [{"type": "alerting"}, {"type": "recording"}]}, {"rules": [{"type": "alerting"}]}]
    rules.append({"rules": [{"type": "alerting", "name": "watchdog"}]})
    assert headline(FakeSource(groups=rules), Selection(), HOUR) == {"firing": [], "rules": 2}


def test_only_the_alerts_of_the_cluster_and_of_none_are_asked_for():
    source = FakeSource()
    headline(source, Selection(cluster=("mine",)), HOUR)
    assert source.instants == ['ALERTS{alertstate="firing", alertname!="watchdog", cluster=~"mine|"}']


def test_a_prometheus_that_is_down_is_told_as_such():
    source = FakeSource(fails=TrainyardError("no Prometheus answers", hint="start it"))
    assert headline(source, Selection(), HOUR) == {"error": {"problem": "no Prometheus answers", "hint": "start it"}}


# What was chosen before would hide what fires elsewhere.
NOTHING = {"queue": "", "node": "", "user": "", "job": ""}


def test_an_alert_leads_to_its_panel_with_the_one_node_or_job_that_it_is_about():
    hang = {"cluster": "llm", "jobid": "7"}
    firing = [
        alert("job-hangs", "critical", **hang),
        alert("gpu-hot", "warning", cluster="llm", node_name="n1", gpu="3"),
        alert("gpu-hot", "warning", cluster="llm", node_name="n2", gpu="3"),
        alert("something-of-mine", "page", node_name="n1"),
    ]
    found = headline(FakeSource(firing), Selection(), HOUR)["firing"]
    assert [one["panel"] and {**one["panel"], "title": ""} for one in found] == [
        {"dashboard": "job", "panel": "tensor", "title": "", "chosen": {**NOTHING, "cluster": "llm", "job": "7"}},
        {
            "dashboard": "node",
            "panel": "temperature",
            "title": "",
            "chosen": {**NOTHING, "cluster": "llm", "node": "n1"},
        },
        None,
    ]
