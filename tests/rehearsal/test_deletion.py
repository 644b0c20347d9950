"""Deleting stacks: what is retained, what stands in the way, and what others still use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.cloud import GROUP, SUBNET, UNKNOWN, VPC

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_EXPORT = {"Id": {"Value": {"Ref": "Vpc"}, "Export": {"Name": {"Fn::Sub": "${AWS::StackName}-vpc"}}}}


def lustre(**attributes: Any) -> dict[str, Any]:
    properties = {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 1200,
        "SubnetIds": [{"Ref": "Subnet"}],
        "SecurityGroupIds": [{"Ref": "Group"}],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125},
    }
    return {"Type": "AWS::FSx::FileSystem", "Properties": properties, **attributes}


def test_a_stack_goes_in_the_opposite_order_and_is_found_by_its_id_alone(account):
    before = cloud.inventory(account)
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": GROUP, "Lustre": lustre()})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    gone = cloud.delete(account, stack)
    assert gone["StackStatus"] == "DELETE_COMPLETE"
    deleted = [name for name, status, _ in cloud.events(account, gone) if status == "DELETE_COMPLETE"]
    assert deleted[0] == "Lustre"
    assert deleted[-2:] == ["Vpc", stack["StackName"]]
    client = account.client("cloudformation")
    assert "does not exist" in cloud.refusal(client.describe_stacks, StackName=stack["StackName"])[1]
    assert cloud.inventory(account) == before


def test_a_kept_file_system_keeps_its_network(account):
    before = cloud.inventory(account)
    resources = {"Vpc": VPC, "Subnet": SUBNET, "Group": GROUP, "Lustre": lustre(DeletionPolicy="Retain")}
    stack = cloud.create(account, resources)
    kept = cloud.physical_id(account, stack, "Lustre")
    stuck = cloud.delete(account, stack)
    assert stuck["StackStatus"] == "DELETE_FAILED"
    assert "[Group, Subnet, Vpc]" in stuck["StackStatusReason"]
    happened = cloud.events(account, stuck)
    assert ("Lustre", "DELETE_SKIPPED", "") in happened
    assert "has dependencies and cannot be deleted" in next(
        reason for name, status, reason in happened if (name, status) == ("Subnet", "DELETE_FAILED")
    )
    assert cloud.inventory(account)["FSx file systems"] == [kept]
    account.client("fsx").delete_file_system(FileSystemId=kept)
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_COMPLETE"
    assert cloud.inventory(account) == before


@pytest.mark.parametrize("in_the_way", ["instance", "network interface", "rule"])
def test_what_others_put_into_a_network_keeps_it(account, in_the_way):
    before = cloud.inventory(account)
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": GROUP})
    ec2 = account.client("ec2")
    subnet, group, vpc = (cloud.physical_id(account, stack, name) for name in ("Subnet", "Group", "Vpc"))
    parameter = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
    image = account.client("ssm").get_parameter(Name=parameter)["Parameter"]["Value"]
    puts = {
        "instance": lambda: put_instance(ec2, subnet, group, image),
        "network interface": lambda: put_interface(ec2, subnet, group),
        "rule": lambda: put_rule(ec2, vpc, group),
    }
    remove = puts[in_the_way]()
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_FAILED"
    remove()
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_COMPLETE"
    assert cloud.inventory(account) == before


def put_instance(ec2: Any, subnet: str, group: str, image: str) -> Callable[[], Any]:
    asked = {"ImageId": image, "SubnetId": subnet, "SecurityGroupIds": [group], "MinCount": 1, "MaxCount": 1}
    name = ec2.run_instances(InstanceType="t3.medium", **asked)["Instances"][0]["InstanceId"]
    return lambda: ec2.terminate_instances(InstanceIds=[name])


def put_interface(ec2: Any, subnet: str, group: str) -> Callable[[], Any]:
    made = ec2.create_network_interface(SubnetId=subnet, Groups=[group])["NetworkInterface"]["NetworkInterfaceId"]
    return lambda: ec2.delete_network_interface(NetworkInterfaceId=made)


def put_rule(ec2: Any, vpc: str, group: str) -> Callable[[], Any]:
    other = ec2.create_security_group(GroupName="other", Description="other", VpcId=vpc)["GroupId"]
    pairs = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=other, IpPermissions=pairs)
    return lambda: ec2.delete_security_group(GroupId=other)


def test_a_failed_deletion_goes_on_without_what_is_to_be_kept(account):
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": GROUP})
    ec2 = account.client("ec2")
    remove = put_interface(ec2, *(cloud.physical_id(account, stack, name) for name in ("Subnet", "Group")))
    kept = {name: cloud.physical_id(account, stack, name) for name in ("Vpc", "Subnet", "Group")}
    client = account.client("cloudformation")
    early = cloud.refusal(client.delete_stack, StackName=stack["StackName"], RetainResources=["Vpc"])
    assert "DELETE_FAILED" in early[1]
    forced = {"StackName": stack["StackName"], "DeletionMode": "FORCE_DELETE_STACK"}
    assert "DELETE_FAILED" in cloud.refusal(client.delete_stack, **forced)[1]
    cloud.delete(account, stack)
    assert cloud.delete(account, stack, RetainResources=["Vpc", "Subnet", "Group"])["StackStatus"] == "DELETE_COMPLETE"
    assert kept["Vpc"] in cloud.inventory(account)["EC2 VPCs"]
    remove()
    ec2.delete_security_group(GroupId=kept["Group"])
    ec2.delete_subnet(SubnetId=kept["Subnet"])
    ec2.delete_vpc(VpcId=kept["Vpc"])


def test_a_forced_deletion_leaves_what_it_cannot_delete(account):
    stack = cloud.create(account, {"Vpc": VPC, "Subnet": SUBNET, "Group": GROUP})
    subnet, group, vpc = (cloud.physical_id(account, stack, name) for name in ("Subnet", "Group", "Vpc"))
    ec2 = account.client("ec2")
    remove = put_interface(ec2, subnet, group)
    cloud.delete(account, stack)
    assert cloud.delete(account, stack, DeletionMode="FORCE_DELETE_STACK")["StackStatus"] == "DELETE_COMPLETE"
    remove()
    ec2.delete_security_group(GroupId=group)
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=vpc)


def test_a_rollback_deletes_what_is_only_kept_once_it_was_made(account):
    before = cloud.inventory(account)
    for policy, left in (("RetainExceptOnCreate", 0), ("Retain", 1)):
        failed = cloud.create(account, {"Vpc": {**VPC, "DeletionPolicy": policy}, "Wrong": UNKNOWN})
        assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
        found = set(cloud.inventory(account)["EC2 VPCs"]) - set(before["EC2 VPCs"])
        assert len(found) == left
        for vpc in found:
            account.client("ec2").delete_vpc(VpcId=vpc)
        cloud.delete(account, failed)


def test_a_protected_stack_is_not_deleted(account):
    stack = cloud.create(account, {"Vpc": VPC}, EnableTerminationProtection=True)
    client = account.client("cloudformation")
    message = cloud.refusal(client.delete_stack, StackName=stack["StackName"])[1]
    assert "cannot be deleted while TerminationProtection is enabled" in message
    client.update_termination_protection(StackName=stack["StackName"], EnableTerminationProtection=False)
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_resource_that_somebody_deleted_before_counts_as_deleted(account):
    before = cloud.inventory(account)
    role_policy = {"Version": "2012-10-17", "Statement": []}
    resources = {
        "Vpc": VPC,
        "Subnet": SUBNET,
        "Group": GROUP,
        "Lustre": lustre(),
        "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": role_policy}},
        "Logs": {"Type": "AWS::Logs::LogGroup", "Properties": {}},
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {}},
    }
    stack = cloud.create(account, resources)
    assert stack["StackStatus"] == "CREATE_COMPLETE", cloud.events(account, stack)
    ids = {name: cloud.physical_id(account, stack, name) for name in resources}
    account.client("fsx").delete_file_system(FileSystemId=ids["Lustre"])
    account.client("iam").delete_role(RoleName=ids["Role"])
    account.client("logs").delete_log_group(logGroupName=ids["Logs"])
    account.client("sns").delete_topic(TopicArn=ids["Topic"])
    ec2 = account.client("ec2")
    ec2.delete_subnet(SubnetId=ids["Subnet"])
    ec2.delete_security_group(GroupId=ids["Group"])
    ec2.delete_vpc(VpcId=ids["Vpc"])
    gone = cloud.delete(account, stack)
    assert gone["StackStatus"] == "DELETE_COMPLETE", cloud.events(account, gone)
    assert cloud.inventory(account) == before


def test_to_delete_a_stack_that_does_not_exist_is_no_error(account):
    assert (
        account.client("cloudformation").delete_stack(StackName="nobody")["ResponseMetadata"]["HTTPStatusCode"] == 200
    )


def test_an_export_in_use_can_neither_go_nor_change(account):
    exporter = cloud.create(account, {"Vpc": VPC}, sections={"Outputs": _EXPORT})
    export = f"{exporter['StackName']}-vpc"
    subnet = {**SUBNET, "Properties": {**SUBNET["Properties"], "VpcId": {"Fn::ImportValue": export}}}
    importer = cloud.create(account, {"Subnet": subnet})
    assert importer["StackStatus"] == "CREATE_COMPLETE"
    client = account.client("cloudformation")
    assert client.list_imports(ExportName=export)["Imports"] == [importer["StackName"]]
    stuck = cloud.delete(account, exporter)
    assert stuck["StackStatus"] == "DELETE_FAILED"
    assert stuck["StackStatusReason"].startswith(f"Export {export} cannot be deleted as it is in use by")
    cloud.delete(account, importer)
    assert cloud.delete(account, exporter)["StackStatus"] == "DELETE_COMPLETE"


def test_an_export_is_unique_and_an_import_needs_one(account):
    outputs = {"Outputs": {"Id": {"Value": {"Ref": "Vpc"}, "Export": {"Name": "the-vpc"}}}}
    first = cloud.create(account, {"Vpc": VPC}, sections=outputs)
    second = cloud.create(account, {"Vpc": VPC}, sections=outputs)
    assert second["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = [reason for _, _, reason in cloud.events(account, second)]
    assert any("Export with name the-vpc is already exported by stack" in reason for reason in reasons)
    lost = {**SUBNET, "Properties": {**SUBNET["Properties"], "VpcId": {"Fn::ImportValue": "no-such-export"}}}
    asked = {"StackName": cloud.some_name(), "TemplateBody": cloud.body({"Subnet": lost})}
    failed = cloud.create(account, {"Subnet": lost}, name=asked["StackName"])
    assert "No export named no-such-export found." in cloud.why(account, failed)
    for stack in (first, second, failed):
        cloud.delete(account, stack)
