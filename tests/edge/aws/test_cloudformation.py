"""Stacks in states that a kill or a failed update leaves, and updates that would lose data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import SPEC
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cloudformation import StackRequest, change_stack, delete_stack
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.errors import TrainyardError

NETWORK: dict[str, Any] = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-east-2a"},
    },
}
TAGS = {"trainyard:cluster": "llm"}


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with seeded_account(SPEC) as started:
        yield started


def request(name: str, resources: dict[str, Any]) -> StackRequest:
    return StackRequest(name, json.dumps({"Resources": resources}), {}, TAGS)


def changed(account: Account, name: str, resources: dict[str, Any]) -> StackState:
    return change_stack(account, request(name, resources), lambda _: None)


pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def test_a_stack_that_was_only_planned_is_ours_and_is_made_by_the_next_call(account):
    account.client("cloudformation").create_change_set(
        StackName="planned", ChangeSetName="trainyard-0", ChangeSetType="CREATE",
        TemplateBody=json.dumps({"Resources": NETWORK}), Tags=[{"Key": "trainyard:cluster", "Value": "llm"}],
    )  # fmt: skip
    stack_state = find_stack(account, "planned")
    assert stack_state is not None
    assert (stack_state.status, stack_state.tags) == ("REVIEW_IN_PROGRESS", TAGS)
    assert changed(account, "planned", NETWORK).status == "CREATE_COMPLETE"


def test_a_stack_that_was_only_planned_is_deleted(account):
    account.client("cloudformation").create_change_set(
        StackName="dropped", ChangeSetName="trainyard-0", ChangeSetType="CREATE",
        TemplateBody=json.dumps({"Resources": NETWORK}), Tags=[{"Key": "trainyard:cluster", "Value": "llm"}],
    )  # fmt: skip
    delete_stack(account, "dropped", lambda _: None)
    assert find_stack(account, "dropped") is None


def test_a_second_call_changes_nothing(account):
    first = changed(account, "same", NETWORK)
    assert changed(account, "same", NETWORK) == first


def test_an_update_adds_what_is_new(account):
    changed(account, "more", {"Vpc": NETWORK["Vpc"]})
    assert changed(account, "more", NETWORK).status == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("after", "what"),
    [
        ({"Vpc": NETWORK["Vpc"]}, "Subnet (AWS::EC2::Subnet) of stack lossy would be removed"),
        (
            {"Vpc": NETWORK["Vpc"], "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": {
                **NETWORK["Subnet"]["Properties"], "AvailabilityZone": "us-east-2b"}}},
            "Subnet (AWS::EC2::Subnet) of stack lossy would be replaced by an empty one",
        ),
    ],
)  # fmt: skip
def test_an_update_that_would_take_away_what_others_stand_in_is_refused(account, after, what):
    before = changed(account, "lossy", NETWORK)
    with pytest.raises(TrainyardError) as caught:
        changed(account, "lossy", after)
    assert what in caught.value.problem
    assert find_stack(account, "lossy") == before


@pytest.mark.parametrize("status", ["UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED"])
def test_a_stack_whose_update_failed_halfway_says_how_to_bring_it_back(status):
    with pytest.raises(TrainyardError) as caught:
        refuse_stuck(StackState("llm", "id", status, "no capacity", TAGS, {}))
    assert "continue-update-rollback --stack-name llm" in (caught.value.hint or "")
