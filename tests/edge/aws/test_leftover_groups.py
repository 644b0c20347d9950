"""Security groups that outlive the stack of a cluster go, unless they are in use or somebody else's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.leftover_network import delete_leftover_groups


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        yield made


def owns(tags: Mapping[str, str]) -> bool:
    return tags.get("trainyard:cluster") == "llm"


def group(account: Account, name: str, stack: str, cluster: str) -> str:
    """Make a security group as CloudFormation does. The tag of the stack is its own, which nobody else may set."""
    ec2 = account.client("ec2")
    vpc = ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
    tags = {"aws:cloudformation:stack-name": stack, "trainyard:cluster": cluster}
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    marks = [{"ResourceType": "security-group", "Tags": pairs}]
    made: str = ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc, TagSpecifications=marks)[
        "GroupId"
    ]
    return made


def groups(account: Account) -> set[str]:
    found = account.client("ec2").describe_security_groups()["SecurityGroups"]
    return {one["GroupName"] for one in found if one["GroupName"] != "default"}


def busy(account: Account, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Refuse a number of deletions as AWS does while an interface is in the group."""
    client: Any = account.client("ec2")
    former, left = client.delete_security_group, [None] * times

    def delete(**asked: Any) -> Any:
        if left:
            left.pop()
            raise ClientError({"Error": {"Code": "DependencyViolation", "Message": "in use"}}, "DeleteSecurityGroup")
        return former(**asked)

    monkeypatch.setattr(client, "delete_security_group", delete)


def test_only_groups_that_no_stack_has_any_more_are_deleted(account):
    group(account, "of the cluster", "llm", "llm")
    group(account, "of the network", "llm-network", "llm")
    group(account, "of somebody else", "llm", "other")
    vpc = account.client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
    there = {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "there", "VpcId": vpc}}
    template = json.dumps({"Resources": {"There": there}})
    tags = [{"Key": "trainyard:cluster", "Value": "llm"}]
    account.client("cloudformation").create_stack(StackName="llm-storage", TemplateBody=template, Tags=tags)
    (made,) = [name for name in groups(account) if name.startswith("llm-storage")]
    assert delete_leftover_groups(account, "llm", owns) == 2
    assert groups(account) == {made, "of somebody else"}


def test_a_group_in_use_stays(account, monkeypatch):
    group(account, "in use", "llm", "llm")
    busy(account, monkeypatch, 1)
    assert delete_leftover_groups(account, "llm", owns) == 0
    assert groups(account) == {"in use"}


def test_a_group_that_becomes_free_is_waited_for_where_that_is_asked(account, monkeypatch):
    group(account, "soon free", "llm", "llm")
    busy(account, monkeypatch, 3)
    assert delete_leftover_groups(account, "llm", owns, wait=True) == 1
    assert groups(account) == set()


def test_a_group_goes_once_no_rule_of_another_names_it(account, monkeypatch):
    group(account, "named", "llm-network", "llm")
    group(account, "naming", "llm-network", "llm")
    busy(account, monkeypatch, 1)  # the one that is tried first
    assert delete_leftover_groups(account, "llm", owns) == 2
    assert groups(account) == set()
