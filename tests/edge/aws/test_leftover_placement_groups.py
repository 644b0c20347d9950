"""Placement groups that an update could not delete go with their cluster, once no node is in them."""

from __future__ import annotations

import pytest
from moto.backends import get_backend

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.leftover_network import delete_leftover_placement_groups
from trainyard.rehearsal.emulated.apis import ec2_placement_groups

TAG = "trainyard:cluster"


@pytest.fixture
def account():
    ec2_placement_groups.install()
    with account_in_memory() as made:
        yield made


def group(account, name: str, cluster: str) -> None:
    tags = [{"ResourceType": "placement-group", "Tags": [{"Key": TAG, "Value": cluster}]}]
    account.client("ec2").create_placement_group(GroupName=name, Strategy="cluster", TagSpecifications=tags)


def names(account) -> set[str]:
    return {one["GroupName"] for one in account.client("ec2").describe_placement_groups()["PlacementGroups"]}


def delete(account) -> int:
    return delete_leftover_placement_groups(account, "llm", lambda tags: tags.get(TAG) == "llm")


def test_those_of_the_cluster_go_and_others_stay(account):
    group(account, "a", "llm")
    group(account, "b", "llm-2")
    assert delete(account) == 1
    assert names(account) == {"b"}
    assert delete(account) == 0


def test_one_with_a_node_in_it_stays(account):
    group(account, "a", "llm")
    client = account.client("ec2")
    image = client.describe_images()["Images"][0]["ImageId"]
    made = client.run_instances(ImageId=image, MinCount=1, MaxCount=1)["Instances"][0]
    instance = get_backend("ec2")["123456789012"][account.region].get_instance(made["InstanceId"])
    instance.placement.group_name = "a"  # run_instances of moto leaves it out
    assert delete(account) == 0
    assert "a" in names(account)
