"""A real Alertmanager tells Slack, PagerDuty and webhooks of alerts, in words that no name of a job can break."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.alertmanager import Alertmanager, Receivers, http_receivers, real_alertmanager
from tests.specs import spec_of
from tests.waiting import wait_until
from trainyard.document.write import yaml_text
from trainyard.monitoring.alert import SEVERITIES
from trainyard.monitoring.alertmanager_config import alertmanager_config, amp_definition
from trainyard.monitoring.prometheus_rules import WATCHDOG
from trainyard.spec.software import AlertReceiver

TOPICS = ("arn:aws:sns:us-east-2:123456789012:topic", "arn:aws:sns:us-east-2:123456789012:beat", "us-east-2")
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:on-call-AbCdEf"
CREDENTIALS = "/run/credentials/trainyard-alertmanager.service/receivers_"
FILE_KEYS = {"slack": "api_url_file", "pagerduty": "routing_key_file", "webhook": "url_file"}
STARTED, ENDED = "2026-11-21T10:30:00Z", "2026-11-21T10:40:00Z"
JOB = {"cluster": "llm", "jobid": "4711", "jobname": "pretrain", "user": "mia", "account": "nlp"}
NOTES = {
    "summary": "Job 4711 of mia hangs", "description": "No progress for a quarter of an hour.",
    "runbook": "trainyard explain job-hangs, or docs/alerts.md#job-hangs",
    "panel": '"Tensor activity" of the dashboard "One job"; trainyard monitor view llm shows it',
    "panel_url": "https://grafana.example/d/trainyard-job?viewPanel=panel-1&var-job=4711",
}  # fmt: skip
# From an hour before STARTED on.
LINK = f"{NOTES['panel_url']}&from=1795253400000&to=now"
# What breaks a line, turns text round, calls everybody, links somewhere else and formats, as the name of a job.
HOSTILE = "a\n<!channel> \u202e<https://evil.example|fix> & *b* `c`\x1b[31m \U000e0041"


def all_receivers(*given: tuple[str, tuple[str, ...] | None]) -> tuple[AlertReceiver, ...]:
    written = [
        {"kind": kind, "secret": SECRET, **({} if severities is None else {"severities": list(severities)})}
        for kind, severities in given
    ]
    return spec_of(
        yaml_text({"monitoring": {"mode": "self-hosting", "alert_receivers": written}})
    ).monitoring.alert_receivers


def config(*given: tuple[str, tuple[str, ...] | None]) -> dict[str, Any]:
    return alertmanager_config(*TOPICS, all_receivers(*given))


def configs_of(config: dict[str, Any], severity: str) -> dict[str, list[dict[str, Any]]]:
    (receiver,) = [receiver for receiver in config["receivers"] if receiver["name"] == severity]
    return {key: value for key, value in receiver.items() if key != "name"}


EACH = config(("slack", None), ("pagerduty", None), ("webhook", None))


def test_a_receiver_gets_alerts_of_its_severities_alone():
    own = config(("pagerduty", ("critical",)), ("slack", ("warning", "critical", "warning")), ("webhook", None))
    told = {severity: {key: len(value) for key, value in configs_of(own, severity).items()} for severity in SEVERITIES}
    assert told == {
        "critical": {"sns_configs": 1, "pagerduty_configs": 1, "slack_configs": 1, "webhook_configs": 1},
        "warning": {"sns_configs": 1, "slack_configs": 1, "webhook_configs": 1},
        "info": {"sns_configs": 1, "webhook_configs": 1},
    }
    assert configs_of(own, "heartbeat").keys() == {"sns_configs"}


def test_the_topics_are_told_as_without_other_receivers():
    without = alertmanager_config(*TOPICS)
    stripped = copy.deepcopy(EACH)
    for receiver in stripped["receivers"]:
        for kind in FILE_KEYS:
            receiver.pop(f"{kind}_configs", None)
    assert stripped == without


def test_no_secret_and_no_name_of_one_is_in_what_the_instance_reads():
    assert "secretsmanager" not in yaml_text(EACH)
    for number, (kind, key) in enumerate(FILE_KEYS.items(), 1):
        (told,) = configs_of(EACH, "critical")[f"{kind}_configs"]
        assert told[key] == f"{CREDENTIALS}{kind}-{number}"
        assert not {"api_url", "url", "routing_key", "service_key"} & told.keys()


def test_the_end_of_an_alert_is_sent_to_all_of_them():
    kinds = [(severity, kind) for severity in SEVERITIES for kind in FILE_KEYS]
    assert all(configs_of(EACH, severity)[f"{kind}_configs"][0]["send_resolved"] for severity, kind in kinds)


def test_amazons_service_is_told_of_the_secret_and_of_nothing_that_it_does_not_take():
    definition = yaml.safe_load(amp_definition(*TOPICS, all_receivers(("pagerduty", ("critical",)))))
    (told,) = configs_of(yaml.safe_load(definition["alertmanager_config"]), "critical")["pagerduty_configs"]
    secret = {"secret_arn": SECRET, "secret_key": "routing_key", "refresh_interval": "5m"}
    assert told["routing_key"] == {"aws_secrets_manager": secret}
    # https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-pagerduty.html (read 2026-11-27)
    table = {"routing_key", "client", "client_url", "description", "details", "severity", "class", "component", "group",
             "source"}  # fmt: skip
    assert told.keys() <= {*table, "send_resolved"}


@pytest.mark.integration
def test_amtool_accepts_it(tmp_path: Path):
    amtool = shutil.which("amtool")
    assert amtool is not None
    file = tmp_path / "alertmanager.yaml"
    file.write_text(yaml_text(usable(EACH)))
    done = subprocess.run([amtool, "check-config", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.integration
@pytest.mark.enable_socket
def test_slack_is_told_what_is_wrong_whose_it_is_and_what_to_do_and_of_the_end(tmp_path: Path):
    with running(tmp_path, config(("slack", None))) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", "critical", JOB))
        (begun,) = told.wait_for("/slack-1")
        alertmanager.fire({**alert("job-hangs", "critical", JOB), "endsAt": ENDED})
        ended = told.wait_for("/slack-1", 2)[1]
    (attachment,) = begun["attachments"]
    assert attachment["title"] == attachment["fallback"] == "job-hangs: llm"
    assert attachment["color"] == "danger"
    assert attachment["text"].splitlines() == [
        "Job 4711 of mia hangs (critical, firing)",
        "No progress for a quarter of an hour.",
        "Job 4711 (pretrain) of mia. ",
        "Since 2026-11-21 10:30 UTC. What to do: trainyard explain job-hangs, or docs/alerts.md#job-hangs",
        f"Where to look: {NOTES['panel']}",
        LINK.replace("&", "&amp;"),
        "",
    ]
    assert attachment["title_link"] == LINK
    (attachment,) = ended["attachments"]
    assert (attachment["title"], attachment["color"]) == ("job-hangs resolved: llm", "good")


@pytest.mark.integration
@pytest.mark.enable_socket
def test_nobody_is_sent_a_link_where_the_address_of_grafana_is_unknown(tmp_path: Path):
    notes = {**NOTES, "panel_url": "/d/trainyard-job?viewPanel=panel-1"}
    with running(tmp_path, config(("slack", None), ("pagerduty", None))) as (alertmanager, told):
        alertmanager.fire({**alert("job-hangs", "critical", JOB), "annotations": notes})
        ((attachment,),) = [message["attachments"] for message in told.wait_for("/slack-1")]
        (incident,) = told.wait_for("/pagerduty")
    assert attachment["text"].splitlines()[-2] == f"Where to look: {NOTES['panel']}"
    assert "title_link" not in attachment
    assert "client_url" not in incident


@pytest.mark.integration
@pytest.mark.enable_socket
def test_slack_is_told_which_node_an_alert_is_about(tmp_path: Path):
    where = {"cluster": "llm", "node": "q-st-p5-1", "instance_id": "i-0123456789abcdef0"}
    with running(tmp_path, config(("slack", None))) as (alertmanager, told):
        alertmanager.fire(alert("gpu-hot", "warning", where))
        ((attachment,),) = [message["attachments"] for message in told.wait_for("/slack-1")]
    assert attachment["text"].splitlines()[2] == "Node q-st-p5-1. Instance i-0123456789abcdef0."
    assert attachment["color"] == "warning"


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_hostile_name_neither_calls_nor_links_nor_breaks_a_message(tmp_path: Path):
    notes = {**NOTES, "summary": f"Job {HOSTILE} hangs", "description": HOSTILE}
    labels = {**JOB, "cluster": HOSTILE, "jobname": HOSTILE, "user": HOSTILE}
    with running(tmp_path, config(("slack", None), ("pagerduty", None), ("webhook", None))) as (alertmanager, told):
        alertmanager.fire({**alert("job-hangs", "critical", labels), "annotations": notes})
        ((attachment,),) = [message["attachments"] for message in told.wait_for("/slack-1")]
        (incident,) = told.wait_for("/pagerduty")
        (sent,) = told.wait_for("/webhook-3")
    assert len(attachment["text"].splitlines()) == 7
    for text in (attachment["title"], attachment["fallback"], attachment["text"]):
        assert not re.search("[<>\u202e\x1b\U000e0041]|&(?!amp;|lt;|gt;)", text)
        assert "&lt;!channel&gt; &lt;https://evil.example|fix&gt; &amp; *b* `c` [31m" in text
    # *b* and `c` stay as they are: no field with text is taken as mrkdwn.
    assert attachment["mrkdwn_in"] == ["pretext"]
    assert not re.search("[\n\u202e\x1b\U000e0041]", incident["payload"]["summary"])
    assert sent["commonLabels"]["jobname"] == HOSTILE


@pytest.mark.integration
@pytest.mark.enable_socket
def test_many_alerts_at_once_stay_a_message_that_slack_takes(tmp_path: Path):
    with running(tmp_path, config(("slack", None))) as (alertmanager, told):
        nodes = [{"cluster": "llm", "node": f"q-st-p5-{number}"} for number in range(300)]
        alertmanager.fire(*(alert("slurm-node-down", "critical", node) for node in nodes))
        wait_until(lambda: "first 20 of 300." in str(told.at("/slack-1")), lambda: told.told)
        (attachment,) = told.at("/slack-1")[-1]["attachments"]
    assert attachment["text"].count("What to do") == 20
    assert attachment["text"].splitlines()[-1] == "These are the first 20 of 300."
    assert len(attachment["text"]) < 40_000


@pytest.mark.integration
@pytest.mark.enable_socket
def test_pagerduty_opens_an_incident_with_all_that_is_known_and_closes_it(tmp_path: Path):
    with running(tmp_path, config(("pagerduty", None))) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", "critical", JOB))
        (begun,) = told.wait_for("/pagerduty")
        alertmanager.fire({**alert("job-hangs", "critical", JOB), "endsAt": ENDED})
        ended = told.wait_for("/pagerduty", 2)[1]
    assert (begun["event_action"], begun["routing_key"]) == ("trigger", "made-up-pagerduty-1")
    payload = begun["payload"]
    assert (payload["summary"], payload["severity"]) == ("llm: Job 4711 of mia hangs", "critical")
    assert (payload["source"], payload["class"]) == ("llm", "job-hangs")
    assert begun["client_url"] == LINK
    for known in ("4711", "mia", "No progress for a quarter of an hour.", NOTES["runbook"], NOTES["panel_url"]):
        assert known in str(payload["custom_details"]["firing"])
    assert (ended["event_action"], ended["dedup_key"]) == ("resolve", begun["dedup_key"])


@pytest.mark.integration
@pytest.mark.enable_socket
@pytest.mark.parametrize("severity", SEVERITIES)
def test_pagerduty_hears_how_severe_it_is(tmp_path: Path, severity: str):
    with running(tmp_path, config(("pagerduty", None))) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", severity, {}))
        (incident,) = told.wait_for("/pagerduty")
    assert incident["payload"]["severity"] == severity
    assert (incident["payload"]["summary"], incident["payload"]["source"]) == ("Job 4711 of mia hangs", "trainyard")


@pytest.mark.integration
@pytest.mark.enable_socket
def test_pagerduty_hears_how_many_alerts_an_incident_is_about(tmp_path: Path):
    with running(tmp_path, config(("pagerduty", None))) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", "critical", {}), alert("job-hangs", "critical", {"node": "another"}))
        wait_until(lambda: "Job 4711 of mia hangs (2 alerts)" in str(told.at("/pagerduty")), lambda: told.told)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_webhook_gets_all_that_alerts_say_and_the_end(tmp_path: Path):
    with running(tmp_path, config(("webhook", None))) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", "critical", JOB))
        (begun,) = told.wait_for("/webhook-1")
        alertmanager.fire({**alert("job-hangs", "critical", JOB), "endsAt": ENDED})
        ended = told.wait_for("/webhook-1", 2)[1]
    assert (begun["version"], begun["status"], ended["status"]) == ("4", "firing", "resolved")
    (sent,) = begun["alerts"]
    assert sent["labels"] == {"alertname": "job-hangs", "severity": "critical", **JOB}
    assert sent["annotations"] == NOTES


@pytest.mark.integration
@pytest.mark.enable_socket
def test_nobody_but_the_heartbeat_hears_the_watchdog(tmp_path: Path):
    (rule,) = WATCHDOG["rules"]
    with running(tmp_path, EACH) as (alertmanager, told):
        alertmanager.fire(alert(rule["alert"], rule["labels"]["severity"], {}), alert("job-hangs", "info", JOB))
        for path in ("/slack-1", "/pagerduty", "/webhook-3"):
            assert rule["alert"] not in str(told.wait_for(path))


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_receiver_without_its_secret_keeps_no_other_from_being_told(tmp_path: Path):
    with running(tmp_path, config(("slack", None), ("pagerduty", None)), without=("slack-1",)) as (alertmanager, told):
        alertmanager.fire(alert("job-hangs", "critical", JOB))
        assert told.wait_for("/pagerduty")
    assert told.at("/slack-1") == []


def alert(name: str, severity: str, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "labels": {"alertname": name, "severity": severity, **labels}, "annotations": NOTES, "startsAt": STARTED,
    }  # fmt: skip


@contextmanager
def running(
    folder: Path, config: dict[str, Any], without: tuple[str, ...] = ()
) -> Iterator[tuple[Alertmanager, Receivers]]:
    """Run an Alertmanager without its waits and without SNS, which finds receivers on this machine by files."""
    with http_receivers() as told:
        at_once = usable(config, folder, told.url)
        for name in (f"{kind}-{number}" for kind in FILE_KEYS for number in (1, 2, 3)):
            if name not in without:
                secret = f"made-up-{name}" if name.startswith("pagerduty") else f"{told.url}/{name}"
                (folder / f"receivers_{name}").write_text(f"{secret}\n")
        with real_alertmanager(folder, at_once) as alertmanager:
            yield alertmanager, told


def usable(config: dict[str, Any], folder: Path = Path(), url: str = "") -> dict[str, Any]:
    """Return a configuration that finds its secrets in a folder, and that the Alertmanager of this machine can read.

    That of Debian 12 is 0.25, which reads the address of a webhook from no file yet.
    """
    config = copy.deepcopy(config)
    for route in (config["route"], *config["route"]["routes"]):
        route |= {"group_wait": "0s", "group_interval": "1s"}
    for receiver in config["receivers"]:
        receiver.pop("sns_configs")
        for kind, key in FILE_KEYS.items():
            for told in receiver.get(f"{kind}_configs", ()):
                told[key] = str(folder / Path(told[key]).name)
                if kind == "webhook" and not reads_address_from_file():
                    told["url"] = f"{url or 'http://localhost'}/{Path(told.pop(key)).name.removeprefix('receivers_')}"
                elif kind == "pagerduty" and url:
                    told["url"] = f"{url}/pagerduty"
    return config


def reads_address_from_file() -> bool:
    said = subprocess.run(["prometheus-alertmanager", "--version"], capture_output=True, text=True, check=True)
    version = re.search(r"version (\d+)\.(\d+)", said.stdout + said.stderr)
    assert version is not None
    return (int(version[1]), int(version[2])) >= (0, 28)
