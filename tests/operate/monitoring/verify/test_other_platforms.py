"""Checks of clusters of Amazon EKS and AWS Batch, whose nodes are told from others by other tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.edge.aws.in_memory import IMAGE, account_in_memory
from tests.operate.monitoring.verify.situations import PORTS, FakeKeeper, spec, up
from trainyard.edge.aws.account import Account
from trainyard.finding import Finding
from trainyard.monitoring.prometheus_rules import watched_rules
from trainyard.operate.monitoring.verify.checks import instance_tags
from trainyard.operate.monitoring.verify.dashboards import cloudwatch
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.remote_write import rights
from trainyard.operate.monitoring.verify.rules import rules
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.targets import targets

TEXT = """\
name: llm
region: us-east-2
platform: PLATFORM
network: {availability_zone: us-east-2a}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: on-demand}]
monitoring: {mode: amp-only}
"""
OF_EKS = {"kubernetes.io/cluster/llm": "owned"}
TAGS = {
    "batch": {"trainyard:cluster": "llm", "trainyard:queue": "gpu"},
    "eks": {**OF_EKS, "eks:nodegroup-name": "gpu"},
}
# What belongs to the cluster and is none of the nodes that are scraped.
BESIDE = {
    "batch": {"trainyard:cluster": "llm", "aws:cloudformation:stack-name": "llm-network"},
    "eks": {**OF_EKS, "eks:nodegroup-name": "system"},
}
EACH = pytest.mark.parametrize("platform", ["batch", "eks"])
LATER_S = 3600


@pytest.fixture(name="account")
def _account() -> Iterator[Account]:
    with account_in_memory() as made:
        yield made


def launched(account: Account, tags: dict[str, str]) -> str:
    own = [{"Key": key, "Value": value} for key, value in tags.items() if not key.startswith("aws:")]
    made = account.client("ec2").run_instances(
        ImageId=IMAGE, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": own}]
    )
    return str(made["Instances"][0]["InstanceId"])


def nodes_of(account: Account, platform: str) -> tuple[str, ...]:
    """Launch two nodes, and an instance that is none; return the nodes."""
    launched(account, BESIDE[platform])
    return launched(account, TAGS[platform]), launched(account, TAGS[platform])


def found(
    check: Callable[[Situation], Iterator[Finding]], account: Account, platform: str, keeper: FakeKeeper | None = None,
    **outputs: str,
) -> tuple[list[tuple[str, str]], dict[str, int]]:  # fmt: skip
    """Return what a check finds, and what it has looked at."""
    of = spec(TEXT.replace("PLATFORM", platform))
    situation = Situation(of, keeper or FakeKeeper(), InAccount(account, of, outputs))
    return [(finding.id, finding.message) for finding in check(situation)], dict(situation.looked_at)


def scraped(*ids: str) -> FakeKeeper:
    return FakeKeeper([up(job, id_) for id_ in ids for job in PORTS])


@EACH
def test_every_node_of_a_queue_is_expected_to_be_scraped_and_nothing_else(account: Account, platform: str):
    first, second = nodes_of(account, platform)
    account.clock.sleep(LATER_S)
    assert found(targets, account, platform, scraped(first, second))[0] == []
    ((id_, message),) = found(targets, account, platform, scraped(first))[0]
    assert id_ == "target-missing"
    assert message == f"node-exporter, dcgm-exporter, trainyard-node of queue gpu are not scraped: {second}"


@EACH
def test_nobody_asks_for_tags_of_parallelcluster(account: Account, platform: str):
    nodes_of(account, platform)
    assert found(instance_tags, account, platform) == ([], {"instances": 2})


@EACH
def test_without_an_account_a_head_node_is_not_missed(platform: str):
    situation = Situation(spec(TEXT.replace("PLATFORM", platform)), scraped("i-00000000000000003"))
    messages = [target.message for target in targets(situation)]
    assert messages == ["1 of 2 nodes of queue gpu are scraped for node-exporter, dcgm-exporter, trainyard-node"]


@EACH
def test_no_dashboard_in_cloudwatch_is_missed(account: Account, platform: str):
    assert found(cloudwatch, account, platform) == ([], {})


def test_dashboards_that_the_spec_does_not_want_are_not_missed(account: Account):
    of = spec(TEXT.replace("PLATFORM", "parallelcluster").replace("amp-only}", "amp-only, dashboard: false}"))
    assert list(cloudwatch(Situation(of, FakeKeeper(), InAccount(account, of, {})))) == []


OF_HEAD_NODE_AND_SLURM = {
    "capacity-block-ending", "credentials-expiring", "gpu-idle-in-job",
    "jobs-stuck-beside-idle-nodes",
    "shared-filesystem-filling", "slurm-node-down", "slurm-node-drained", "slurm-node-not-responding",
}  # fmt: skip


@EACH
def test_alerts_that_cannot_fire_need_not_be_loaded(account: Account, platform: str):
    keeper = FakeKeeper()
    names = [rule.get("alert") or rule["record"] for group in watched_rules()["groups"] for rule in group["rules"]]
    keeper.groups = [{"rules": [{"name": name} for name in names if name not in OF_HEAD_NODE_AND_SLURM]}]
    assert found(rules, account, platform, keeper)[0] == []
    ((id_, message),) = found(rules, account, "parallelcluster", keeper)[0]
    assert id_ == "rules-not-loaded"
    assert "capacity-block-ending" in message


class OnePodIdentity:
    """What EKS answers of who has a role."""

    def __init__(self, *service_accounts: str) -> None:
        self.listed = [
            {"namespace": "monitoring", "serviceAccount": service_account} for service_account in service_accounts
        ]

    def get_paginator(self, operation: str) -> OnePodIdentity:
        assert operation == "list_pod_identity_associations"
        return self

    def paginate(self, **asked: Any) -> list[dict[str, Any]]:
        assert asked == {"clusterName": "llm"}
        return [{"associations": self.listed}]


class AccountWithEks:
    """An account that answers for EKS alone."""

    region = "us-east-2"

    def __init__(self, eks: OnePodIdentity) -> None:
        self.eks = eks

    def client(self, service: str, **_: Any) -> OnePodIdentity:
        assert service == "eks"
        return self.eks


@pytest.mark.parametrize(
    ("with_role", "ids"), [(["prometheus-agent"], []), (["somebody"], ["remote-write-not-allowed"])]
)
def test_an_agent_without_a_role_is_named(with_role: list[str], ids: list[str]):
    account: Any = AccountWithEks(OnePodIdentity(*with_role))
    told = found(rights, account, "eks", AMPWorkspaceId="ws-1")[0]
    assert [id_ for id_, _ in told] == ids
    assert all("service account monitoring/prometheus-agent" in message for _, message in told)


def test_nobody_knows_the_role_of_an_agent_beside_batch(account: Account):
    assert found(rights, account, "batch", AMPWorkspaceId="ws-1")[0] == []
