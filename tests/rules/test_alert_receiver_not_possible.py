"""Slack, PagerDuty and webhooks that nobody can tell of alerts."""

from __future__ import annotations

import pytest

from tests.rules.found import paths, problems

RULE = "alert-receiver-not-possible"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:tell-AbCdEf"
KIND = "monitoring.alert_receivers[0].kind"
NO_INTERNET = "network: {internet: none}\n"
EXISTING = "network: {internet: none, existing: {vpc: vpc-01234567, private_subnets: [subnet-01234567]}}\n"


def told(mode: str, *kinds: str) -> str:
    receivers = ", ".join(f"{{kind: {kind}, secret: '{SECRET}'}}" for kind in kinds)
    return f"monitoring: {{mode: {mode}, alert_receivers: [{receivers}]}}\n"


@pytest.mark.parametrize("mode", ["amp-only", "amp+amg"])
def test_amazons_alertmanager_tells_pagerduty_and_neither_slack_nor_webhooks(mode: str):
    found = problems(RULE, told(mode, "slack", "pagerduty", "webhook"))
    assert [problem.path[2] for problem in found] == [0, 2]
    slack, webhook = found
    assert slack.severity is None
    assert (
        slack.message == "the Alertmanager of Amazon Managed Prometheus sends to SNS and PagerDuty only, not to slack"
    )
    assert "alert_email" in (slack.remedy or "")
    assert "aws sns subscribe --protocol https" in (webhook.remedy or "")


def test_an_instance_with_internet_tells_all_of_them():
    assert paths(RULE, told("self-hosting", "slack", "pagerduty", "webhook")) == []


@pytest.mark.parametrize(
    ("kind", "network", "severity"),
    [
        ("slack", NO_INTERNET, None),
        ("pagerduty", NO_INTERNET, None),
        ("webhook", NO_INTERNET, "warning"),
        ("slack", EXISTING, "warning"),
    ],
)
def test_an_instance_without_internet_reaches_what_its_network_has(kind: str, network: str, severity: str | None):
    (problem,) = problems(RULE, told("self-hosting", kind) + network)
    assert problem.severity == severity
    assert problem.message.endswith(f"{kind}: network.internet is none")


def test_amazons_service_needs_no_internet_of_the_cluster_for_pagerduty():
    assert paths(RULE, told("amp-only", "pagerduty") + NO_INTERNET) == []


def test_the_receivers_of_an_environment_are_looked_at_too():
    assert paths(RULE, f"kind: environment\n{told('amp-only', 'slack')}") == [KIND]
