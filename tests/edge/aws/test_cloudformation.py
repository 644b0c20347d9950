"""Stacks in states that a kill or a failed update leaves, and updates that would lose data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import SPEC
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.change_sets import (
    ChangeSet,
    PropertyChange,
    ResourceChange,
    StackRequest,
    discard_change_set,
    make_change_set,
)
from trainyard.edge.aws.cloudformation import change_stack, delete_stack
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


MOVED = {**NETWORK["Subnet"], "Properties": {**NETWORK["Subnet"]["Properties"], "AvailabilityZone": "us-east-2b"}}


@pytest.mark.parametrize(
    ("after", "policies", "fate", "leaves"),
    [
        ({"Vpc": NETWORK["Vpc"]}, {}, "deleted", "nothing"),
        ({"Vpc": NETWORK["Vpc"]}, {"DeletionPolicy": "RetainExceptOnCreate"}, "left behind", "resource"),
        ({"Vpc": NETWORK["Vpc"]}, {"DeletionPolicy": "Snapshot"}, "deleted", "snapshot"),
        ({"Vpc": NETWORK["Vpc"], "Subnet": MOVED}, {}, "replaced", "nothing"),
        ({"Vpc": NETWORK["Vpc"], "Subnet": {**MOVED, "UpdateReplacePolicy": "Retain"}}, {}, "replaced", "resource"),
    ],
)
def test_a_change_set_tells_what_becomes_of_a_resource(account, after, policies, fate, leaves):
    name = f"told-{fate.replace(' ', '-')}-{leaves}"
    changed(account, name, {**NETWORK, "Subnet": {**NETWORK["Subnet"], **policies}})
    change_set = make_change_set(account, request(name, after), is_new=False)
    assert change_set is not None
    (change,) = change_set.changes
    assert change[:3] == (name, "Subnet", "AWS::EC2::Subnet")
    assert change.id.startswith("subnet-")
    assert change[4:7] == (fate, True, leaves)
    discard_change_set(account, change_set)
    summaries = account.client("cloudformation").list_change_sets(StackName=name)["Summaries"]
    assert change_set.id not in [summary["ChangeSetId"] for summary in summaries]


def test_changes_beyond_the_first_page_are_told_too():
    def page(logical_id: str, **more: Any) -> dict[str, Any]:
        change = {"Action": "Dynamic", "LogicalResourceId": logical_id, "ResourceType": "AWS::EC2::VPC"}
        return {"Status": "CREATE_COMPLETE", "Changes": [{"Type": "Resource", "ResourceChange": change}], **more}

    answers = [page("One", NextToken="2"), page("Two")]
    asked = RecordedAccount(
        "us-east-2",
        answers={
            "cloudformation.CreateChangeSet": {"Id": "arn:aws:cloudformation:us-east-2:123456789012:changeSet/t/1"},
            "cloudformation.DescribeChangeSet": lambda request: answers["NextToken" in request],
        },
    )
    change_set = make_change_set(asked, request("paged", NETWORK), is_new=False)
    assert change_set is not None
    assert change_set.changes == (
        ResourceChange("paged", "One", "AWS::EC2::VPC", "", "replaced", is_certain=False),
        ResourceChange("paged", "Two", "AWS::EC2::VPC", "", "replaced", is_certain=False),
    )


def test_what_is_changed_in_place_is_named_with_its_values():
    target = {"Attribute": "Properties", "Name": "StorageCapacity", "BeforeValue": "1200", "AfterValue": "2400"}
    targets = [target, target, {"Attribute": "Properties", "Name": "Other"}, {"Attribute": "Tags", "Name": "team"}]
    change = {"Action": "Modify", "LogicalResourceId": "Lustre", "ResourceType": "AWS::FSx::FileSystem"}
    details = {"Replacement": "False", "Details": [{"Target": target} for target in targets]}
    shown = {"Status": "CREATE_COMPLETE", "Changes": [{"Type": "Resource", "ResourceChange": change | details}]}
    answers: dict[str, Any] = {
        "cloudformation.CreateChangeSet": {"Id": "arn:c"},
        "cloudformation.DescribeChangeSet": shown,
    }
    change_set = make_change_set(RecordedAccount("us-east-2", answers=answers), request("named", NETWORK), is_new=False)
    assert change_set is not None
    assert change_set.changes[0].properties == (
        PropertyChange("StorageCapacity", "1200", "2400"),
        PropertyChange("Other"),
    )


def test_an_update_that_its_review_refuses_is_not_made(account):
    def refuse(change_set: ChangeSet) -> None:
        raise TrainyardError(f"not {change_set.changes[0].resource}")

    before = changed(account, "reviewed", NETWORK)
    with pytest.raises(TrainyardError, match="not Subnet"):
        change_stack(account, request("reviewed", {"Vpc": NETWORK["Vpc"]}), lambda _: None, refuse)
    assert find_stack(account, "reviewed") == before


@pytest.mark.parametrize(
    ("status", "command"),
    [("UPDATE_FAILED", "rollback-stack"), ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback")],
)
def test_a_stack_whose_update_failed_halfway_says_how_to_bring_it_back(status, command):
    arn = "arn:aws:cloudformation:us-east-2:123456789012:stack/llm/1"
    with pytest.raises(TrainyardError) as caught:
        refuse_stuck(StackState("llm", arn, status, "no capacity", TAGS, {}))
    assert f"`aws cloudformation {command} --stack-name llm --region us-east-2`" in (caught.value.hint or "")
