"""What only looks asks AWS once, and anew after a change, after a pause and where an answer was an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import CREDENTIALS, account_in_memory
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.aws.ec2 import vpcs
from trainyard.edge.aws.remembered_answers import remembering
from trainyard.edge.aws.stacks import find_stack

TEMPLATE = '{"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}'


class Still(Clock):
    """Nobody waits."""

    def sleep(self, seconds: float) -> None:
        del seconds


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:  # whose own clients come from one test to the next
        yield Account(made.region, credentials=CREDENTIALS, clock=Still())


def asked_by(looker: Account) -> list[str]:
    """Return what goes to AWS, as it comes."""
    asked: list[str] = []
    for service in ("ec2", "cloudformation"):
        client = looker.client(service)
        client.meta.events.register("request-created", lambda operation_name, **_: asked.append(operation_name))
    return asked


def test_the_same_question_is_asked_once_and_anew_after_a_change_or_a_pause(account: Account):
    looker = remembering(account)
    asked = asked_by(looker)
    first = vpcs(looker)
    assert vpcs(looker) == first
    assert asked == ["DescribeVpcs"]
    looker.client("ec2").create_vpc(CidrBlock="10.7.0.0/16")
    assert len(vpcs(looker)) == len(first) + 1
    looker.clock.sleep(1)
    account.client("ec2").create_vpc(CidrBlock="10.8.0.0/16")
    assert len(vpcs(looker)) == len(first) + 2
    assert asked == ["DescribeVpcs", "CreateVpc", "DescribeVpcs", "DescribeVpcs"]


def test_whoever_changes_an_answer_changes_no_other(account: Account):
    looker = remembering(account)
    found = looker.client("ec2").describe_vpcs()["Vpcs"]
    found.clear()
    assert looker.client("ec2").describe_vpcs()["Vpcs"]


def test_stacks_are_looked_up_in_one_listing(account: Account):
    account.client("cloudformation").create_stack(StackName="one", TemplateBody=TEMPLATE)
    looker = remembering(account)
    asked = asked_by(looker)
    one = find_stack(looker, "one")
    assert one == find_stack(account, "one")
    assert find_stack(looker, "two") is None
    assert asked == ["DescribeStacks"]


def test_two_accounts_remember_nothing_of_one_another(account: Account):
    assert vpcs(remembering(account)) == vpcs(account)
    account.client("ec2").create_vpc(CidrBlock="10.9.0.0/16")
    assert vpcs(remembering(account)) == vpcs(account)
