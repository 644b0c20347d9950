"""The clusters of a region, by their stacks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.operate.status.region_clusters import region_clusters

TEMPLATE = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
STACKS = {
    "llm": {"trainyard:cluster": "llm", "parallelcluster:cluster-name": "llm", "trainyard:environment": "shared"},
    "llm-storage": {"trainyard:cluster": "llm"},
    "theirs": {"parallelcluster:cluster-name": "theirs"},
    "jobs-batch": {"trainyard:cluster": "jobs"},
    "eksctl-pods-cluster": {"alpha.eksctl.io/cluster-name": "pods"},
    "half-network": {"trainyard:cluster": "half"},
    "shared-network": {"trainyard:environment": "shared"},
    "web": {"team": "web"},
}


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        for name, tags in STACKS.items():
            written = [{"Key": key, "Value": value} for key, value in tags.items()]
            made.client("cloudformation").create_stack(StackName=name, TemplateBody=TEMPLATE, Tags=written)
        yield made


def test_every_cluster_and_environment_is_listed_and_nothing_else(account: Account):
    clusters = {cluster.name: cluster for cluster in region_clusters(account)}
    assert list(clusters) == ["half", "jobs", "llm", "pods", "shared", "theirs"]
    assert {name: cluster.platform for name, cluster in clusters.items()} == {
        "half": None,
        "jobs": "batch",
        "llm": "parallelcluster",
        "pods": "eks",
        "shared": "environment",
        "theirs": "parallelcluster",
    }
    assert {name for name, cluster in clusters.items() if not cluster.ours} == {"pods", "theirs"}
    assert (clusters["llm"].environment, clusters["llm"].stacks) == ("shared", ("llm-storage", "llm"))
    assert (clusters["half"].status, clusters["llm"].status) == (None, "CREATE_COMPLETE")
