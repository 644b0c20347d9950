"""The emulated Amazon Managed Prometheus refuses definitions and rules that the real one refuses."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError

from tests.specs import spec_of
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import code, words
from trainyard.edge.aws.s3 import make_bucket, put
from trainyard.monitoring.alertmanager_config import alertmanager_config, amp_definition
from trainyard.render.cloudformation.stacks import template

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

TOPIC = "arn:aws:sns:us-east-2:123456789012:alerts"
GOOD = amp_definition(TOPIC, f"{TOPIC}-heartbeat", "us-east-2")
PAGERDUTY = """\
monitoring:
  alert_receivers: [{kind: pagerduty, secret: "arn:aws:secretsmanager:us-east-2:123456789012:secret:p-AbCdEf"}]
"""
TOLD = amp_definition(TOPIC, f"{TOPIC}-heartbeat", "us-east-2", spec_of(PAGERDUTY).monitoring.alert_receivers)
BARE = str(alertmanager_config(TOPIC, f"{TOPIC}-heartbeat", "us-east-2"))


@pytest.fixture
def workspace(account: Account) -> str:
    return str(account.client("amp").create_workspace()["workspaceId"])


def refusal(call: Any, **arguments: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    return code(error.value), words(error.value)


def test_a_definition_is_made_once_and_then_put(account: Account, workspace: str):
    amp = account.client("amp")
    assert refusal(amp.put_alert_manager_definition, workspaceId=workspace, data=GOOD)[0] == "ResourceNotFoundException"
    amp.create_alert_manager_definition(workspaceId=workspace, data=GOOD)
    assert refusal(amp.create_alert_manager_definition, workspaceId=workspace, data=GOOD)[0] == "ConflictException"
    amp.put_alert_manager_definition(workspaceId=workspace, data=GOOD.replace("12h", "24h"))
    held = amp.describe_alert_manager_definition(workspaceId=workspace)["alertManagerDefinition"]
    assert held["data"].decode() == GOOD.replace("12h", "24h")
    assert held["status"]["statusCode"] == "ACTIVE"


@pytest.mark.parametrize(
    ("given", "beginning"),
    [({"GrafanaEndpoint": "g-1.grafana.example"}, "https://g-1.grafana.example/d/"), ({}, "/d/")],
)
def test_alerts_lead_to_the_grafana_of_the_stack(
    account: Account, workspace: str, given: dict[str, str], beginning: str
):
    amp = account.client("amp")
    arn = amp.describe_workspace(workspaceId=workspace)["workspace"]["arn"]
    values = {"PrometheusWorkspaceArn": arn, **given}
    parameters = [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]
    make_bucket(account, "templates")
    put(account, "templates", "rules.yaml", template("rules").encode())
    url = f"https://s3.{account.region}.amazonaws.com/templates/rules.yaml"
    account.client("cloudformation").create_stack(
        StackName=f"rules-{len(given)}", TemplateURL=url, Parameters=parameters
    )
    rules = amp.describe_rule_groups_namespace(workspaceId=workspace, name="trainyard-alerts")["ruleGroupsNamespace"]
    alerts = [rule for group in yaml.safe_load(rules["data"])["groups"] for rule in group["rules"]]
    urls = [alert["annotations"]["panel_url"] for alert in alerts if "panel_url" in alert["annotations"]]
    assert len(urls) == len(alerts) - 1  # all but the watchdog
    assert all(url.startswith(f"{beginning}trainyard-") for url in urls)


def test_pagerduty_is_taken_with_its_key_in_a_secret(account: Account, workspace: str):
    account.client("amp").create_alert_manager_definition(workspaceId=workspace, data=TOLD)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (BARE, "no alertmanager_config"),
        (GOOD.replace("region: us-east-2", "profile: p"), "sigv4 without region"),
        (GOOD.replace("sigv4:", "api_url: x\\n      sigv4:").replace("\\n", "\n"), "api_url is not allowed"),
        (GOOD.replace("sns_configs:", "webhook_configs:"), "webhook_configs is not supported"),
        (TOLD.replace("secret_key:", "secret_name:"), "routing_key names no secret"),
        (TOLD.replace("client: trainyard", "url: https://example.com"), "url is not supported"),
        ("alertmanager_config: [", "not YAML"),
    ],
)
def test_what_the_service_does_not_take_is_refused_with_the_reason(
    account: Account, workspace: str, data: str, reason: str
):
    refused, said = refusal(account.client("amp").create_alert_manager_definition, workspaceId=workspace, data=data)
    assert refused == "ValidationException"
    assert reason in said


def test_rules_without_groups_are_refused(account: Account, workspace: str):
    create = account.client("amp").create_rule_groups_namespace
    assert refusal(create, workspaceId=workspace, name="n", data="rules: []")[0] == "ValidationException"
