"""What AWS says of a workspace of Amazon Managed Prometheus, its rules, and what it discards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import AmpState, discarded_samples, rule_namespaces, workspace_state

OTHER = "ws-00000000-0000-0000-0000-000000000000"


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        yield made


@pytest.fixture
def workspace(account: Account) -> str:
    return str(account.client("amp").create_workspace(alias="llm")["workspaceId"])


def test_a_workspace_is_active_or_missing(account: Account, workspace: str):
    assert workspace_state(account, workspace) == AmpState("ACTIVE")
    assert workspace_state(account, OTHER) == AmpState("MISSING")


def test_rules_are_listed_by_their_names(account: Account, workspace: str):
    assert rule_namespaces(account, workspace) == {}
    for name in ("alerts", "recorded"):
        account.client("amp").create_rule_groups_namespace(workspaceId=workspace, name=name, data=b"groups: []")
    assert set(rule_namespaces(account, workspace)) == {"alerts", "recorded"}


def test_a_reason_stands_behind_the_state():
    assert str(AmpState("CREATION_FAILED", "bad\nexpression")) == 'CREATION_FAILED: "bad expression"'
    assert str(AmpState("ACTIVE")) == "ACTIVE"


def test_discarded_samples_are_those_of_the_workspace_and_of_lately(account: Account, workspace: str):
    now = account.clock.now()
    for where, reason, value, ago_s in (
        (workspace, "rate_limited", 100.0, 60),
        (workspace, "rate_limited", 50.0, 120),
        (workspace, "sample-too-old", 7.0, 7200),
        (OTHER, "rate_limited", 1000.0, 60),
    ):
        dimensions = [{"Name": "WorkspaceId", "Value": where}, {"Name": "Reason", "Value": reason}]
        data = {"MetricName": "DiscardedSamples", "Dimensions": dimensions, "Value": value, "Timestamp": now - ago_s}
        account.client("cloudwatch").put_metric_data(Namespace="AWS/Prometheus", MetricData=[data])
    assert discarded_samples(account, workspace, 1800) == {"rate_limited": 150.0}
