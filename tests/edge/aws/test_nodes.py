"""Instances of a cluster, found by any tag that says so."""

from __future__ import annotations

from tests.edge.aws.in_memory import IMAGE, account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import instances_of_cluster


def launched(account: Account, **tags: str) -> str:
    ec2 = account.client("ec2")
    made = ec2.run_instances(
        ImageId=IMAGE,
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )
    return str(made["Instances"][0]["InstanceId"])


def test_an_instance_that_lost_one_tag_is_found_by_another_and_listed_once():
    with account_in_memory() as account:
        both = launched(account, **{"parallelcluster:cluster-name": "llm", "trainyard:cluster": "llm"})
        renamed = launched(account, **{"parallelcluster:cluster-name": "lllm", "trainyard:cluster": "llm"})
        launched(account, **{"parallelcluster:cluster-name": "other", "trainyard:cluster": "other"})
        found = [one["InstanceId"] for one in instances_of_cluster(account, "llm")]
        assert sorted(found) == sorted([both, renamed])
        assert instances_of_cluster(account, "nobody") == ()
