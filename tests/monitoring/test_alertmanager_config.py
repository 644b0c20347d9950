"""A real Alertmanager takes the configuration, mails what people understand, and keeps what says nothing new."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from tests.monitoring.alertmanager import real_alertmanager, topic_of_sns
from trainyard.document.write import yaml_text
from trainyard.monitoring.alert import SEVERITIES, alerts
from trainyard.monitoring.alertmanager_config import alertmanager_config, amp_definition
from trainyard.monitoring.prometheus_rules import WATCHDOG, alert_rules
from trainyard.render.cloudformation.stacks import template
from trainyard.spec.software import AlertSeverity

TOPIC = "arn:aws:sns:us-east-2:123456789012:llm-monitoring-AlertTopic"
HEARTBEAT = "arn:aws:sns:us-east-2:123456789012:llm-monitoring-HeartbeatTopic"
CONFIG = alertmanager_config(TOPIC, HEARTBEAT, "us-east-2")
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html
LARGEST_DEFINITION_BYTES = 1 << 20
FIVE_DAYS_S = 5 * 24 * 3600
WHERE = {"cluster": "llm", "instance_id": "i-1", "instance": "10.0.0.7:9100"}
SLURM = {"cluster": "llm", "node": "q-st-p5-1"}


def receivers() -> dict[str, Any]:
    return {receiver["name"]: receiver for receiver in CONFIG["receivers"]}


def routes(route: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    route = CONFIG["route"] if route is None else route
    yield route
    for one in route.get("routes", ()):
        yield from routes(one)


def matched_names() -> set[str]:
    rules = [one for rule in CONFIG["inhibit_rules"] for one in (*rule["source_matchers"], *rule["target_matchers"])]
    found = [re.fullmatch(r'alertname=~?"([^"]+)"', rule) for rule in rules]
    return {name for match in found if match for name in match[1].split("|")}


@pytest.mark.integration
def test_amtool_accepts_it(tmp_path: Path):
    program = shutil.which("amtool")
    assert program is not None
    file = tmp_path / "alertmanager.yaml"
    file.write_text(yaml_text(CONFIG))
    done = subprocess.run([program, "check-config", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.integration
@pytest.mark.parametrize(
    ("severity", "receiver"), [("critical", "critical"), ("warning", "warning"), ("info", "info"), ("other", "warning")]
)
def test_amtool_routes_every_severity(tmp_path: Path, severity: str, receiver: str):
    file = tmp_path / "alertmanager.yaml"
    file.write_text(yaml_text(CONFIG))
    command = ["amtool", "config", "routes", "test", f"--config.file={file}", f"severity={severity}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == [receiver]


@pytest.mark.integration
def test_amtool_routes_the_watchdog_to_the_heartbeat_alone(tmp_path: Path):
    file = tmp_path / "alertmanager.yaml"
    file.write_text(yaml_text(CONFIG))
    (rule,) = WATCHDOG["rules"]
    labels = [f"alertname={rule['alert']}", f"severity={rule['labels']['severity']}"]
    command = ["amtool", "config", "routes", "test", f"--config.file={file}", *labels]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == ["heartbeat"]


def test_a_heartbeat_comes_at_least_once_in_each_period_of_the_alarm():
    (route,) = [route for route in routes() if route.get("receiver") == "heartbeat"]
    alarm = _alarm()
    longest_s = _seconds(route["repeat_interval"]) + _seconds(route["group_interval"])
    assert longest_s <= alarm["Period"] <= alarm["Period"] * alarm["EvaluationPeriods"] / 4


def test_no_heartbeat_says_that_the_watchdog_is_over():
    assert [sns["send_resolved"] for sns in receivers()["heartbeat"]["sns_configs"]] == [False]


def test_every_severity_that_alerts_have_has_its_receiver():
    assert set(SEVERITIES) == receivers().keys() - {"heartbeat"} == set(get_args(AlertSeverity))


def test_every_alert_that_is_held_back_exists():
    assert matched_names() <= {alert.id for alert in alerts()}
    assert matched_names() != set()


def test_every_receiver_tells_the_topic_with_the_region():
    for receiver in receivers().values():
        assert receiver.keys() == {"name", "sns_configs"}
        for sns in receiver["sns_configs"]:
            topic = HEARTBEAT if receiver["name"] == "heartbeat" else TOPIC
            assert (sns["topic_arn"], sns["sigv4"]) == (topic, {"region": "us-east-2"})


def test_what_amazons_service_does_not_take_is_not_in_it():
    for receiver in receivers().values():
        assert all(not {"api_url", "http_config"} & sns.keys() for sns in receiver["sns_configs"])
    assert "templates" not in CONFIG
    assert all(_seconds(route["repeat_interval"]) <= FIVE_DAYS_S for route in routes())


def test_the_definition_of_a_workspace_has_the_same_as_text():
    document = yaml.safe_load(amp_definition(TOPIC, HEARTBEAT, "us-east-2"))
    assert document.keys() == {"alertmanager_config"}
    assert yaml.safe_load(document["alertmanager_config"]) == CONFIG
    assert len(amp_definition(TOPIC, HEARTBEAT, "us-east-2").encode()) < LARGEST_DEFINITION_BYTES


def test_rules_are_far_smaller_than_a_namespace_may_be():
    assert len(yaml_text(alert_rules(), blocks=True).encode()) < LARGEST_DEFINITION_BYTES


def test_two_calls_share_nothing_that_one_could_change():
    one, other = (alertmanager_config(TOPIC, HEARTBEAT, region) for region in "ab")
    one["route"]["receiver"] = "changed"
    assert other["route"]["receiver"] == "warning"


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_message_says_what_is_wrong_where_and_what_to_do(tmp_path: Path):
    longest = max((alert.id for alert in alerts()), key=len)
    labels = {"alertname": longest, "severity": "critical", **WHERE, "cluster": "c" * 60}
    notes = {"summary": "GPU 3 is too hot", "description": "It throttles.", "runbook": f"docs/alerts.md#{longest}",
             "panel": "GPUs of the cluster", "panel_url": "https://grafana.example/d/gpus?var-node=n"}  # fmt: skip
    with topic_of_sns() as topic, real_alertmanager(tmp_path, _quick(topic.url)) as running:
        running.fire({"labels": labels, "annotations": notes, "startsAt": "2026-11-21T10:30:00Z"})
        (told,) = topic.wait_for(1)
        ended = {"startsAt": "2026-11-21T10:30:00Z", "endsAt": "2026-11-21T10:40:00Z"}
        running.fire({"labels": labels, "annotations": notes, **ended})
        resolved = topic.wait_for(2)[1]
    assert told["TopicArn"] == TOPIC
    assert told["Subject"] == f"{longest}: {'c' * 60}"
    assert told["Message"].splitlines() == [
        "GPU 3 is too hot (critical, firing)",
        "It throttles.",
        f"Instance i-1. Since 2026-11-21 10:30 UTC. What to do: docs/alerts.md#{longest}",
        # The hour before, and all since: date --date 2026-11-21T09:30Z +%s
        "https://grafana.example/d/gpus?var-node=n&from=1795253400000&to=now",
        "",
        "Where to look: GPUs of the cluster",
    ]
    assert resolved["Subject"] == f"{longest} resolved: {'c' * 60}"
    # https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
    assert len(resolved["Subject"]) < 100


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_group_without_a_cluster_is_told_by_its_name_alone(tmp_path: Path):
    with topic_of_sns() as topic, real_alertmanager(tmp_path, _quick(topic.url)) as running:
        running.fire(_alert("no-metrics"))
        (told,) = topic.wait_for(1)
    assert told["Subject"] == "no-metrics"


# Alertmanager takes alerts in their order and looks at what follows from them a moment later: once the last pair is
# seen, so are those before it.
LAST = [("remote-write-failing", {**WHERE, "job": "last"}), ("remote-write-retrying", {**WHERE, "job": "last"})]
LAST_HELD = "remote-write-retrying last"


@pytest.mark.integration
@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("fired", "held"),
    [
        ([("exporter-down", {**WHERE, "job": "node-exporter"}), ("exporter-down", {**WHERE, "job": "dcgm-exporter"})],
         {"exporter-down dcgm-exporter"}),
        ([("exporter-down", {**WHERE, "job": "trainyard-node"}), ("collector-stale", WHERE), ("efa-errors", WHERE)],
         {"collector-stale"}),
        ([("slurm-node-not-responding", SLURM), ("slurm-node-down", SLURM), ("slurm-node-drained", SLURM)],
         {"slurm-node-down", "slurm-node-drained"}),
        ([("slurm-node-down", SLURM), ("slurm-node-drained", {**SLURM, "node": "another"})], set()),
        ([("slurm-node-not-responding", SLURM), ("slurm-node-down", {**SLURM, "node": "another"})], set()),
        ([("exporter-down", {**WHERE, "job": "node-exporter"}),
          ("exporter-down", {**WHERE, "job": "dcgm-exporter", "instance_id": "i-2"})], set()),
        ([("exporter-down", {**WHERE, "job": "trainyard-node"}), ("collector-stale", {**WHERE, "cluster": "other"})],
         set()),
        ([("gpu-xid-fatal", WHERE), ("gpu-xid-new", WHERE), ("gpu-row-remapped", WHERE)], {"gpu-xid-new"}),
        ([("gpu-xid-fatal", WHERE), ("gpu-xid-new", {**WHERE, "instance_id": "i-2"})], set()),
        ([("remote-write-failing", {**WHERE, "url": "u"}), ("remote-write-retrying", {**WHERE, "url": "u"})],
         {"remote-write-retrying"}),
    ],
)  # fmt: skip
def test_what_follows_from_another_alert_is_held_back(tmp_path: Path, fired: Any, held: set[str]):
    with real_alertmanager(tmp_path, CONFIG) as running:
        running.fire(*(_alert(name, labels) for name, labels in [*fired, *LAST]))
        assert running.inhibited_with(LAST_HELD) == {*held, LAST_HELD}


@pytest.mark.integration
@pytest.mark.enable_socket
def test_the_watchdog_beats_again_and_again_on_its_own_topic(tmp_path: Path):
    config = _quick("")
    for route in routes(config["route"]):
        route["repeat_interval"] = "1s"
    with topic_of_sns() as topic:
        for receiver in config["receivers"]:
            for sns in receiver["sns_configs"]:
                sns["api_url"] = topic.url
        with real_alertmanager(tmp_path, config) as running:
            (rule,) = WATCHDOG["rules"]
            running.fire({"labels": {"alertname": rule["alert"], **rule["labels"]}, "annotations": rule["annotations"]})
            beats = topic.wait_for(2)
    assert {beat["TopicArn"] for beat in beats} == {HEARTBEAT}


def _alarm() -> dict[str, Any]:
    resources = yaml.safe_load(template("monitoring"))["Resources"]
    properties: dict[str, Any] = resources["WatcherAlarm"]["Properties"]
    return properties


def _alert(name: str, labels: dict[str, str] | None = None) -> dict[str, Any]:
    severity = next(alert.severity for alert in alerts() if alert.id == name)
    return {"labels": {"alertname": name, "severity": severity, **(labels or {})}, "annotations": {"summary": "s"}}


def _quick(url: str) -> dict[str, Any]:
    """Return the configuration for a topic on this machine, without the waits."""
    config = copy.deepcopy(CONFIG)
    for route in routes(config["route"]):
        route |= {"group_wait": "0s", "group_interval": "1s"}
    for receiver in config["receivers"]:
        for sns in receiver["sns_configs"]:
            sns["api_url"] = url
    return config


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[duration[-1]]
