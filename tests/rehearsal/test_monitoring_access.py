"""An environment with Grafana in an emulated account: what is in it, what status says of it, and what is left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.cloud import create
from tests.rehearsal.whole import deployed, destroyed
from trainyard.cli import trainyard as program
from trainyard.cli.status_output import print_status, status_values
from trainyard.edge.aws.account import Account
from trainyard.monitoring.alertmanager_config import alertmanager_config
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import WATCHDOG, alert_rules, recording_rules
from trainyard.operate.monitoring.access import documented_outputs
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.status_query import status
from trainyard.rehearsal.rehearsal import inventory
from trainyard.render.cloudformation.stacks import template

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = """\
kind: environment
name: use2
region: us-east-2
network: {availability_zone: us-east-2a}
monitoring: {mode: amp+amg, alert_email: ml-team@example.com}
"""
BUCKET = "trainyard-123456789012-us-east-2"


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    """An account with the environment, and a stack that stands for a cluster in it."""
    with seeded_account(SPEC) as started:
        assert deployed(started, SPEC).ok
        tags = [{"Key": "trainyard:cluster", "Value": "llm"}, {"Key": "trainyard:environment", "Value": "use2"}]
        create(started, {"It": {"Type": "AWS::SNS::Topic"}}, name="llm", Tags=tags)
        yield started


@pytest.fixture(scope="module")
def seen(account: Account) -> Status:
    return status("use2", account, BUCKET)


def printed(capsys: pytest.CaptureFixture[str], found: Status) -> str:
    print_status(found)
    return capsys.readouterr().out


def test_every_dashboard_is_in_grafana(account: Account):
    found = [one for one in inventory(account) if one.startswith("Grafana dashboards: ")]
    assert [one.split()[2] for one in found] == sorted(f"trainyard-{dashboard.id}" for dashboard in dashboards())


def test_the_rules_and_the_alertmanager_are_in_the_workspace(account: Account, seen: Status):
    assert seen.monitoring is not None
    outputs, amp = seen.monitoring.outputs, account.client("amp")
    grafana = f"https://{outputs['ManagedGrafanaWorkspaceEndpoint']}"
    alerting = {"groups": [*alert_rules(grafana_url=grafana)["groups"], WATCHDOG]}
    for name, expected in {"trainyard-alerts": alerting, "trainyard-recorded": recording_rules()}.items():
        rules = amp.describe_rule_groups_namespace(workspaceId=outputs["AMPWorkspaceId"], name=name)
        assert yaml.safe_load(rules["ruleGroupsNamespace"]["data"]) == expected
    held = amp.describe_alert_manager_definition(workspaceId=outputs["AMPWorkspaceId"])["alertManagerDefinition"]
    inner = yaml.safe_load(yaml.safe_load(held["data"])["alertmanager_config"])
    assert inner == alertmanager_config(outputs["AlertTopicArn"], outputs["HeartbeatTopicArn"], "us-east-2")


def test_the_topic_hears_the_workspace_alone_and_tells_the_address(account: Account, seen: Status):
    assert seen.monitoring is not None
    topic, sns = seen.monitoring.outputs["AlertTopicArn"], account.client("sns")
    alarm, statement = json.loads(sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"])["Statement"]
    workspace = f"arn:aws:aps:us-east-2:123456789012:workspace/{seen.monitoring.outputs['AMPWorkspaceId']}"
    assert statement["Principal"] == {"Service": "aps.amazonaws.com"}
    assert statement["Condition"]["ArnEquals"] == {"aws:SourceArn": workspace}
    assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": "123456789012"}
    (one,) = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    assert (one["Protocol"], one["Endpoint"]) == ("email", "ml-team@example.com")
    name = seen.monitoring.outputs["WatcherAlarmName"]
    (watcher,) = account.client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
    assert alarm["Condition"]["ArnEquals"] == {"aws:SourceArn": watcher["AlarmArn"]}
    assert watcher["AlarmActions"] == [topic]
    heartbeat = seen.monitoring.outputs["HeartbeatTopicArn"]
    assert watcher["Dimensions"] == [{"Name": "TopicName", "Value": heartbeat.rpartition(":")[2]}]


def test_status_says_every_output_that_the_stack_has(seen: Status, capsys):
    text = printed(capsys, seen)
    assert seen.monitoring is not None
    expected = {
        "GrafanaAccessInstructions",
        "ManagedGrafanaWorkspaceEndpoint",
        "AMPPrometheusEndpoint",
        "AlertTopicArn",
    }
    assert expected <= seen.monitoring.outputs.keys()
    for name, value in seen.monitoring.outputs.items():
        assert f"  {name:<31} {value}\n" in text
    assert "monitoring: amp+amg, of stack use2-monitoring\n" in text


def test_status_says_that_both_workspaces_work(seen: Status, capsys):
    assert seen.monitoring is not None
    assert [workspace.status for workspace in seen.monitoring.workspaces] == ["ACTIVE", "ACTIVE"]
    assert "Amazon Managed Grafana workspace g-" in printed(capsys, seen)


def test_status_says_how_to_query(seen: Status, capsys):
    assert seen.monitoring is not None
    endpoint = seen.monitoring.outputs["AMPPrometheusEndpoint"].rstrip("/")
    text = printed(capsys, seen)
    assert f"trainyard monitor view --prometheus {endpoint} --region us-east-2\n" in text
    assert f"awscurl --service aps --region us-east-2 '{endpoint}/api/v1/query?query=up'\n" in text


def test_a_cluster_in_the_environment_has_its_outputs(account: Account, seen: Status):
    found = status("llm", account, BUCKET)
    assert found.monitoring == seen.monitoring


def test_as_json_it_is_the_same(seen: Status):
    values: Any = json.loads(json.dumps(status_values(seen)))["monitoring"]
    assert seen.monitoring is not None
    assert values["outputs"] == dict(seen.monitoring.outputs)
    assert values["query"].keys() == {"url", "view", "example"}
    assert [workspace["status"] for workspace in values["workspaces"]] == ["ACTIVE", "ACTIVE"]


def test_a_workspace_that_somebody_has_deleted_is_missing_and_nothing_fails(account: Account):
    with seeded_account(SPEC) as other:
        assert deployed(other, SPEC.replace("amp+amg", "amp-only")).ok
        found = status("use2", other, BUCKET).monitoring
        assert found is not None
        other.client("amp").delete_workspace(workspaceId=found.outputs["AMPWorkspaceId"])
        again = status("use2", other, BUCKET).monitoring
    assert again is not None
    assert "ManagedGrafanaWorkspaceId" not in again.outputs
    assert [workspace.status for workspace in again.workspaces] == ["MISSING"]


def test_the_command_prints_it(account: Account, monkeypatch):
    for name, value in account.variables().items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(program, ["status", "use2", "--region", "us-east-2"])
    assert done.exit_code == 0, done.output
    assert "GrafanaAccessInstructions" in done.output


def test_every_documented_output_is_one_of_the_template():
    outputs = yaml.safe_load(template("monitoring"))["Outputs"]
    assert documented_outputs().keys() <= outputs.keys()


def test_what_is_destroyed_leaves_nothing_of_grafana_and_no_topic():
    with seeded_account(SPEC) as started:
        before = inventory(started)
        assert deployed(started, SPEC).ok
        done = destroyed(replace(started), SPEC)
        assert done.ok
        left = [one for one in inventory(started) if one not in before]
    assert [one for one in left if "Grafana" in one or "SNS" in one or "Prometheus" in one] == []
