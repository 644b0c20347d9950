"""Updates of stacks: in place, by replacement, taken back, and looked at before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.cloud import GROUP, SUBNET, UNKNOWN, VPC
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."


def group(description: str = "a group", **properties: Any) -> dict[str, Any]:
    return {**GROUP, "Properties": {**GROUP["Properties"], "GroupDescription": description, **properties}}


def rules_of(account: Account, stack: Any) -> Any:
    found = account.client("ec2").describe_security_groups(GroupIds=[cloud.physical_id(account, stack, "Group")])
    return found["SecurityGroups"][0]["IpPermissions"]


def change_set(account: Account, stack_name: str, resources: Mapping[str, Any], kind: str, **more: Any) -> Any:
    client = account.client("cloudformation")
    name = cloud.some_name()
    client.create_change_set(
        StackName=stack_name,
        ChangeSetName=name,
        ChangeSetType=kind,
        TemplateBody=cloud.body(resources, **more.pop("sections", {})),
        **more,
    )
    described = client.describe_change_set(StackName=stack_name, ChangeSetName=name)
    assert described["Status"] == "CREATE_IN_PROGRESS"
    return client.describe_change_set(StackName=stack_name, ChangeSetName=name)


def seen(described: Any) -> list[tuple[str, str, str]]:
    changes = (change["ResourceChange"] for change in described["Changes"])
    return [(change["Action"], change["LogicalResourceId"], change.get("Replacement", "")) for change in changes]


def test_a_change_in_place_keeps_the_resource(account):
    stack = cloud.create(account, {"Vpc": VPC, "Group": group()})
    former = cloud.physical_id(account, stack, "Group")
    rule = {"IpProtocol": "tcp", "FromPort": "22", "ToPort": 22, "CidrIp": "203.0.113.7/32"}
    stack = cloud.update(account, stack, {"Vpc": VPC, "Group": group(SecurityGroupIngress=[rule])})
    assert (stack["StackStatus"], cloud.physical_id(account, stack, "Group")) == ("UPDATE_COMPLETE", former)
    assert rules_of(account, stack)[0]["FromPort"] == 22
    stack = cloud.update(account, stack, {"Vpc": VPC, "Group": group()})
    assert rules_of(account, stack) == []
    cloud.delete(account, stack)


def test_a_replaced_resource_is_deleted_last_and_what_needs_it_follows(account):
    ingress = {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {"GroupId": {"Ref": "Group"}, "IpProtocol": "-1", "SourceSecurityGroupId": {"Ref": "Group"}},
    }
    stack = cloud.create(account, {"Vpc": VPC, "Group": group(), "Ingress": ingress})
    former = cloud.physical_id(account, stack, "Group")
    stack = cloud.update(account, stack, {"Vpc": VPC, "Group": group("another"), "Ingress": ingress})
    now = cloud.physical_id(account, stack, "Group")
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert now != former
    assert former not in cloud.inventory(account)["EC2 security groups"]
    assert rules_of(account, stack)[0]["UserIdGroupPairs"][0]["GroupId"] == now
    cloud.delete(account, stack)


def test_what_a_template_no_longer_has_is_deleted_and_what_it_has_now_is_made(account):
    stack = cloud.create(account, {"Vpc": VPC, "Group": group()})
    before = cloud.physical_id(account, stack, "Group")
    stack = cloud.update(account, stack, {"Vpc": VPC, "Subnet": SUBNET})
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    found = cloud.inventory(account)
    assert before not in found["EC2 security groups"]
    assert cloud.physical_id(account, stack, "Subnet") in found["EC2 subnets"]
    cloud.delete(account, stack)


def test_an_update_that_fails_is_taken_back(account):
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "203.0.113.7/32"}
    stack = cloud.create(account, {"Vpc": VPC, "Group": group(), "Kept": group("kept")})
    before, former = cloud.inventory(account), cloud.physical_id(account, stack, "Kept")
    changed = {
        "Vpc": VPC,
        "Group": group(SecurityGroupIngress=[rule]),
        "Kept": group("replaced"),
        "Subnet": SUBNET,
        "Wrong": {**UNKNOWN, "DependsOn": ["Subnet", "Group", "Kept"]},
    }
    stack = cloud.update(account, stack, changed)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert rules_of(account, stack) == []
    assert cloud.physical_id(account, stack, "Kept") == former
    assert cloud.inventory(account) == before
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_an_update_without_rollback_fails_and_can_be_done_again(account):
    stack = cloud.create(account, {"Vpc": VPC})
    stack = cloud.update(account, stack, {"Vpc": VPC, "Subnet": SUBNET, "Wrong": UNKNOWN}, DisableRollback=True)
    assert stack["StackStatus"] == "UPDATE_FAILED"
    stack = cloud.update(account, stack, {"Vpc": VPC, "Subnet": SUBNET})
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    cloud.delete(account, stack)


def test_an_update_that_changes_nothing_is_refused(account):
    stack = cloud.create(account, {"Vpc": VPC})
    asked = {"StackName": stack["StackName"], "TemplateBody": cloud.body({"Vpc": VPC})}
    refused = cloud.refusal(account.client("cloudformation").update_stack, **asked)
    assert refused == ("ValidationError", "No updates are to be performed.")
    cloud.delete(account, stack)


def test_a_change_set_makes_a_stack(account):
    client = account.client("cloudformation")
    name = cloud.some_name()
    described = change_set(account, name, {"Vpc": VPC, "Subnet": SUBNET}, "CREATE")
    assert client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "REVIEW_IN_PROGRESS"
    assert (described["Status"], described["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert seen(described) == [("Add", "Vpc", ""), ("Add", "Subnet", "")]
    client.execute_change_set(ChangeSetName=described["ChangeSetId"])
    stack = cloud.settled(account, name)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    again = cloud.refusal(client.execute_change_set, ChangeSetName=described["ChangeSetId"])
    assert again[0] == "InvalidChangeSetStatus"
    cloud.delete(account, stack)


def test_a_change_set_says_what_an_update_would_do(account):
    other_subnet = {**SUBNET, "Properties": {**SUBNET["Properties"], "CidrBlock": "10.7.2.0/24"}}
    named = {**VPC, "Properties": {**VPC["Properties"], "EnableDnsHostnames": "true"}}
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": group()})
    new = group("new")
    described = change_set(account, stack["StackName"], {"Vpc": named, "Subnet": other_subnet, "New": new}, "UPDATE")
    assert sorted(seen(described)) == [
        ("Add", "New", ""),
        ("Modify", "Subnet", "True"),
        ("Modify", "Vpc", "False"),
        ("Remove", "Group", ""),
    ]
    detail = next(one["ResourceChange"] for one in described["Changes"] if one["ResourceChange"]["Action"] == "Modify")
    assert detail["Scope"] == ["Properties"]
    assert {one["Target"]["Name"] for one in detail["Details"]} <= {"EnableDnsHostnames", "CidrBlock"}
    assert cloud.physical_id(account, stack, "Group") in cloud.inventory(account)["EC2 security groups"]
    cloud.delete(account, stack)


def test_a_part_of_an_id_that_is_not_known_yet_is_no_error_of_a_change_set(account):
    def resources(topic: str):
        name = {"Fn::Select": [5, {"Fn::Split": [":", {"Ref": "Topic"}]}]}
        named = {**VPC, "Properties": {**VPC["Properties"], "Tags": [{"Key": "topic", "Value": name}]}}
        return {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": topic}}, "Vpc": named}

    stack = cloud.create(account, resources("a"))
    described = change_set(account, stack["StackName"], resources("b"), "UPDATE")
    assert sorted(seen(described)) == [("Modify", "Topic", "True"), ("Modify", "Vpc", "False")]
    cloud.delete(account, stack)


def test_a_change_set_without_changes_fails_as_in_aws(account):
    client = account.client("cloudformation")
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET})
    described = change_set(account, stack["StackName"], {"Vpc": VPC, "Subnet": SUBNET}, "UPDATE")
    assert (described["Status"], described["StatusReason"]) == ("FAILED", _NO_CHANGES)
    assert described["ExecutionStatus"] == "UNAVAILABLE"
    asked = {"ChangeSetName": described["ChangeSetName"], "StackName": stack["StackName"]}
    assert cloud.refusal(client.execute_change_set, **asked)[0] == "InvalidChangeSetStatus"
    client.delete_change_set(**asked)
    assert cloud.refusal(client.describe_change_set, **asked)[0] == "ChangeSetNotFound"
    cloud.delete(account, stack)


def test_a_change_set_that_fails_to_make_a_stack_rolls_back_or_stays(account):
    client = account.client("cloudformation")
    for disable, status in ((False, "ROLLBACK_COMPLETE"), (True, "CREATE_FAILED")):
        name = cloud.some_name()
        described = change_set(account, name, {"Vpc": VPC, "Wrong": UNKNOWN}, "CREATE")
        client.execute_change_set(ChangeSetName=described["ChangeSetId"], DisableRollback=disable)
        stack = cloud.settled(account, name)
        assert stack["StackStatus"] == status
        cloud.delete(account, stack)


def test_changed_tags_of_the_stack_reach_its_resources(account):
    stack = cloud.create(account, {"Vpc": VPC}, Tags=[{"Key": "team", "Value": "one"}])
    stack = cloud.update(account, stack, {"Vpc": VPC}, Tags=[{"Key": "team", "Value": "two"}])
    found = account.client("ec2").describe_vpcs(VpcIds=[cloud.physical_id(account, stack, "Vpc")])["Vpcs"][0]
    assert ("team", "two") in {(tag["Key"], tag["Value"]) for tag in found["Tags"]}
    cloud.delete(account, stack)


@pytest.mark.parametrize(
    ("policies", "actions"),
    [
        ({}, ("Delete", "ReplaceAndDelete")),
        ({"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}, ("Retain", "ReplaceAndRetain")),
        ({"DeletionPolicy": "RetainExceptOnCreate"}, ("Retain", "ReplaceAndDelete")),
    ],
    ids=["none", "retain", "except-on-create"],
)
def test_what_an_update_takes_away_is_retained_as_its_policy_and_the_change_set_say(account, policies, actions):
    kept = {**group("kept"), **policies}
    stack = cloud.create(account, {"Vpc": VPC, "Kept": kept, "Replaced": {**group("former"), **policies}})
    former = [cloud.physical_id(account, stack, name) for name in ("Kept", "Replaced")]
    after = {"Vpc": VPC, "Replaced": {**group("new"), **policies}}
    changes = [item["ResourceChange"] for item in change_set(account, stack["StackName"], after, "UPDATE")["Changes"]]
    assert {change["LogicalResourceId"]: change["PolicyAction"] for change in changes} == dict(
        zip(("Kept", "Replaced"), actions, strict=True)
    )
    cloud.update(account, stack, after)
    groups = cloud.inventory(account)["EC2 security groups"]
    assert [name in groups for name in former] == [not action.endswith("Delete") for action in actions]
    for name in former:
        if name in groups:
            account.client("ec2").delete_security_group(GroupId=name)
    cloud.delete(account, stack)


def test_what_a_rolled_back_update_had_added_goes_though_its_policy_would_retain_it(account):
    stack = cloud.create(account, {"Vpc": VPC})
    before = cloud.inventory(account)
    added = {**group("added"), "DeletionPolicy": "RetainExceptOnCreate"}
    stack = cloud.update(account, stack, {"Vpc": VPC, "Added": added, "Wrong": {**UNKNOWN, "DependsOn": "Added"}})
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert cloud.inventory(account) == before
    cloud.delete(account, stack)


def test_what_an_update_cannot_delete_is_left_outside_the_stack(account):
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": group()})
    used, subnet = (cloud.physical_id(account, stack, name) for name in ("Group", "Subnet"))
    ec2 = account.client("ec2")
    place = {"SubnetId": subnet, "Groups": [used]}
    interface = ec2.create_network_interface(**place)["NetworkInterface"]["NetworkInterfaceId"]
    stack = cloud.update(account, stack, {"Vpc": VPC, "Subnet": SUBNET})
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert used in cloud.inventory(account)["EC2 security groups"]
    ec2.delete_network_interface(NetworkInterfaceId=interface)
    ec2.delete_security_group(GroupId=used)
    cloud.delete(account, stack)
