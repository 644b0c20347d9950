"""What is filled into a template is there as it was, and alerts reach their topic and nobody else does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.render.cloudformation.templates import TEMPLATES
from tests.specs import spec_of
from trainyard.document.write import yaml_text
from trainyard.monitoring.alertmanager_config import alertmanager_config
from trainyard.monitoring.prometheus_rules import WATCHDOG, alert_rules, recording_rules
from trainyard.render.cloudformation.stacks import stack, template
from trainyard.render.stand_ins import Ids

RESOURCES = TEMPLATES["monitoring"]["Resources"]
DATA = {name: one["Properties"]["Data"] for name, one in TEMPLATES["rules"]["Resources"].items()}
RULES = {"RecordingRules": DATA["RecordingRules"], "AlertRules": DATA["AlertRules"]["Fn::Sub"][0]}
DEFINITION = RESOURCES["PrometheusWorkspace"]["Properties"]["AlertManagerDefinition"]["Fn::Sub"]
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:pager-AbCdEf"


def receivers(mode: str, *names: str) -> str:
    written = [
        {"kind": "pagerduty", "secret": SECRET.replace("pager", name), "severities": ["critical"]} for name in names
    ]
    return yaml_text({"monitoring": {"mode": mode, "alert_receivers": written}})


TOLD = yaml.safe_load(stack(spec_of(receivers("amp-only", "pager")), "monitoring", Ids({})).template)
TOLD_DEFINITION = TOLD["Resources"]["PrometheusWorkspace"]["Properties"]["AlertManagerDefinition"]["Fn::Sub"]


def test_the_rules_of_the_workspace_are_those_of_every_prometheus():
    grafana = "https://grafana.example"
    alerts = RULES["AlertRules"].replace("${GrafanaUrl}", grafana)
    assert yaml.safe_load(alerts) == {"groups": [*alert_rules(grafana_url=grafana)["groups"], WATCHDOG]}
    assert yaml.safe_load(RULES["RecordingRules"]) == recording_rules()


@pytest.mark.integration
@pytest.mark.parametrize("name", RULES)
def test_promtool_accepts_the_rules_as_the_template_has_them(tmp_path: Path, name: str):
    program = shutil.which("promtool")
    assert program is not None
    (tmp_path / "rules.yaml").write_text(RULES[name])
    done = subprocess.run([program, "check", "rules", str(tmp_path / "rules.yaml")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_alertmanager_of_the_workspace_tells_the_topic_of_the_stack():
    document = yaml.safe_load(DEFINITION)
    assert yaml.safe_load(document["alertmanager_config"]) == alertmanager_config(
        "${AlertTopic}", "${HeartbeatTopic}", "${AWS::Region}"
    )


def test_cloudformation_replaces_the_address_of_grafana_in_alerts_and_nothing_else():
    assert (
        set(re.findall(r"\$\{([^}]*)\}", RULES["AlertRules"])) == {"GrafanaUrl"} == {*DATA["AlertRules"]["Fn::Sub"][1]}
    )


@pytest.mark.parametrize("definition", [DEFINITION, TOLD_DEFINITION], ids=["topic", "pagerduty"])
def test_cloudformation_replaces_the_topic_and_the_region_and_nothing_else(definition: str):
    assert set(re.findall(r"\$\{([^}]*)\}", definition)) == {"AlertTopic", "HeartbeatTopic", "AWS::Region"}


def test_the_alertmanager_of_the_workspace_tells_the_pagerduty_of_the_spec():
    config = yaml.safe_load(yaml.safe_load(TOLD_DEFINITION)["alertmanager_config"])
    told = {one["name"]: one.get("pagerduty_configs", []) for one in config["receivers"]}
    assert {name: len(configs) for name, configs in told.items()} == {
        "critical": 1, "warning": 0, "info": 0, "heartbeat": 0,
    }  # fmt: skip
    assert told["critical"][0]["routing_key"]["aws_secrets_manager"]["secret_arn"] == SECRET


@pytest.mark.parametrize(
    ("mode", "arns"),
    [("self-hosting", f"{SECRET},{SECRET.replace('pager', 'other')}"), ("amp-only", None)],
)
def test_the_instance_may_read_the_secrets_of_receivers_and_no_other(mode: str, arns: str | None):
    told = stack(spec_of(receivers(mode, "pager", "other", "pager")), "monitoring", Ids({}))
    assert told.parameters.get("AlertSecretArns") == arns
    policies = RESOURCES["MonitoringRole"]["Properties"]["Policies"]
    (of_secrets,) = [one["Fn::If"][1] for one in policies if one.get("Fn::If", [""])[0] == "HasAlertSecrets"]
    (statement,) = of_secrets["PolicyDocument"]["Statement"]
    assert statement == {
        "Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": {"Ref": "AlertSecretArns"},
    }  # fmt: skip


def test_the_templates_of_others_stay_as_they_are():
    other = spec_of("monitoring: {mode: amp-only}")
    assert stack(other, "monitoring", Ids({})).template == template("monitoring")
    assert stack(spec_of(receivers("self-hosting", "pager")), "monitoring", Ids({})).template == template("monitoring")


def test_no_text_looks_like_a_reference_that_cloudformation_resolves():
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
    assert "{{resolve:" not in f"{RULES}{DEFINITION}"


def test_a_topic_is_encrypted_where_that_keeps_nobody_from_publishing():
    key = RESOURCES["HeartbeatTopic"]["Properties"]["KmsMasterKeyId"]
    assert key == {"Fn::If": ["SelfHosting", "alias/aws/sns", {"Ref": "AWS::NoValue"}]}
    assert "Properties" not in RESOURCES["AlertTopic"]


def test_the_alarm_of_a_silent_watcher_may_tell_the_topic_of_alerts_and_no_other_alarm_may():
    alarm, _ = RESOURCES["AlertTopicPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert alarm["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert alarm["Condition"]["ArnEquals"] == {"aws:SourceArn": {"Fn::GetAtt": ["WatcherAlarm", "Arn"]}}
    assert RESOURCES["WatcherAlarm"]["Properties"]["AlarmActions"] == [{"Ref": "AlertTopic"}]


def test_silence_raises_the_alarm():
    alarm = RESOURCES["WatcherAlarm"]["Properties"]
    assert (alarm["TreatMissingData"], alarm["ComparisonOperator"]) == ("breaching", "LessThanThreshold")
    assert alarm["Dimensions"] == [{"Name": "TopicName", "Value": {"Fn::GetAtt": ["HeartbeatTopic", "TopicName"]}}]


@pytest.mark.parametrize("topic", ["Alert", "Heartbeat"])
def test_one_publisher_and_no_other_may_tell_a_topic_what_prometheus_finds(topic: str):
    *_, statement = RESOURCES[f"{topic}TopicPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    _, hosted, amazon = statement["Fn::If"]
    assert {hosted["Resource"]["Ref"], amazon["Resource"]["Ref"]} == {f"{topic}Topic"}
    assert hosted["Principal"] == {"AWS": {"Fn::GetAtt": ["MonitoringRole", "Arn"]}}
    assert amazon["Principal"] == {"Service": "aps.amazonaws.com"}
    assert amazon["Condition"]["ArnEquals"] == {"aws:SourceArn": {"Fn::GetAtt": ["PrometheusWorkspace", "Arn"]}}
    assert amazon["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    assert _actions(hosted) | _actions(amazon) == {"sns:Publish", "sns:GetTopicAttributes"}


def _actions(statement: dict[str, Any]) -> set[str]:
    action = statement["Action"]
    return {action} if isinstance(action, str) else set(action)
