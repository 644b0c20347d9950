"""Interfaces that pods have left go with their cluster, unless an instance still has them."""

from __future__ import annotations

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.leftover_network import delete_leftover_interfaces

TAG = "cluster.k8s.amazonaws.com/name"


@pytest.fixture
def account():
    with account_in_memory() as made:
        yield made


def interface(account, cluster: str) -> str:
    client = account.client("ec2")
    subnet = client.describe_subnets()["Subnets"][0]["SubnetId"]
    tags = [{"ResourceType": "network-interface", "Tags": [{"Key": TAG, "Value": cluster}]}]
    made = client.create_network_interface(SubnetId=subnet, TagSpecifications=tags)
    return str(made["NetworkInterface"]["NetworkInterfaceId"])


def left(account) -> set[str]:
    return {
        network_interface["NetworkInterfaceId"]
        for network_interface in account.client("ec2").describe_network_interfaces()["NetworkInterfaces"]
    }


def test_those_of_the_cluster_go_and_others_stay(account):
    gone, other = interface(account, "llm"), interface(account, "llm-2")
    assert delete_leftover_interfaces(account, "llm") == 1
    assert gone not in left(account)
    assert other in left(account)
    assert delete_leftover_interfaces(account, "llm") == 0
