"""The bucket of a cluster is known by its stacks, without the spec."""

from __future__ import annotations

import pytest

from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws.account import Account

TEMPLATE = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
CLUSTER = {"trainyard:cluster": "llm"}
ENVIRONMENT = {"trainyard:environment": "llm"}


def stack(account: Account, name: str, tags: dict[str, str]) -> None:
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    account.client("cloudformation").create_stack(StackName=name, TemplateBody=TEMPLATE, Tags=pairs)


def test_without_a_stack_nothing_is_known(account):
    assert bucket_of_cluster(account, "llm") is None


@pytest.mark.parametrize("own", [CLUSTER, ENVIRONMENT], ids=["cluster", "environment"])
def test_any_stack_that_is_left_tells_the_bucket(account, own):
    stack(account, "llm-network", {**own, "trainyard:bucket": "ml-assets"})
    stack(account, "other-network", {"trainyard:cluster": "other", "trainyard:bucket": "theirs"})
    assert bucket_of_cluster(account, "llm") == "ml-assets"


def test_a_spec_without_a_bucket_of_its_own_leaves_no_tag(account):
    stack(account, "llm-network", CLUSTER)
    assert bucket_of_cluster(account, "llm") is None


def test_the_bucket_of_a_cluster_is_not_that_of_its_environment(account):
    stack(account, "small-assets", {**ENVIRONMENT, "trainyard:cluster": "small", "trainyard:bucket": "theirs"})
    assert bucket_of_cluster(account, "llm") is None
