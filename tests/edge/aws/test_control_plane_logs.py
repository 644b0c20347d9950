"""The log group that EKS makes without tags gets those of its cluster, unless it was there before the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import eks
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.control_plane_logs import control_plane_log_group, find_log_group, put_log_group
from trainyard.edge.aws.data_stores import data_stores
from trainyard.edge.aws.eks import EksCluster

TAGS = {"trainyard:cluster": "llm"}


@dataclass
class Made:
    account: Account
    cluster: EksCluster

    def tags(self) -> Any:
        arn = f"arn:aws:logs:us-east-2:{self.account.id}:log-group:{control_plane_log_group('llm')}"
        return self.account.client("logs").list_tags_for_resource(resourceArn=arn)["tags"]


@pytest.fixture
def made() -> Iterator[Made]:
    with account_in_memory() as account:
        account.client("eks").create_cluster(
            name="llm", roleArn="arn:aws:iam::123456789012:role/r", resourcesVpcConfig={"subnetIds": ["s"]}
        )
        cluster = eks.find_cluster(account, "llm")
        assert cluster is not None
        yield Made(account, cluster)


def test_it_gets_the_tags_and_the_retention_and_is_data_of_the_cluster_then(made):
    made.account.client("logs").create_log_group(logGroupName="/aws/eks/llm/cluster")
    put_log_group(made.account, made.cluster, TAGS)
    put_log_group(made.account, made.cluster, TAGS, 14)
    assert made.tags() == TAGS
    group = find_log_group(made.account, made.cluster)
    assert group is not None
    assert (group.tags, group.retention_days) == (TAGS, 14)
    (kept,) = data_stores(made.account, "llm", lambda tags: tags.get("trainyard:cluster") == "llm")
    assert kept.id == "/aws/eks/llm/cluster"


def test_a_group_of_a_cluster_before_it_is_left_alone(made):
    made.account.client("logs").create_log_group(logGroupName="/aws/eks/llm/cluster")
    later = made.cluster._replace(created=datetime.now(UTC) + timedelta(hours=2))
    put_log_group(made.account, later, TAGS, 14)
    assert find_log_group(made.account, later) is None
    assert made.tags() == {}


@pytest.mark.parametrize("name", ["/aws/eks/llm/cluster-2", "/aws/eks/other/cluster"])
def test_no_other_group_gets_them(made, name):
    made.account.client("logs").create_log_group(logGroupName=name)
    put_log_group(made.account, made.cluster, TAGS, 14)
    (group,) = made.account.client("logs").describe_log_groups()["logGroups"]
    assert "retentionInDays" not in group
    assert made.account.client("logs").list_tags_for_resource(resourceArn=group["arn"])["tags"] == {}
