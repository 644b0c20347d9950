"""What CloudFormation does with a template that is good, and with one that is not."""

from __future__ import annotations

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.cloud import GROUP, SUBNET, TRUST, UNKNOWN, VPC

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def test_every_resource_begins_and_ends_in_the_events(account):
    stack = cloud.create(account, {"Subnet": SUBNET, "Vpc": VPC})
    assert [(name, status) for name, status, _ in cloud.events(account, stack)] == [
        (stack["StackName"], "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_COMPLETE"),
        ("Subnet", "CREATE_IN_PROGRESS"),
        ("Subnet", "CREATE_IN_PROGRESS"),
        ("Subnet", "CREATE_COMPLETE"),
        (stack["StackName"], "CREATE_COMPLETE"),
    ]
    cloud.delete(account, stack)


def test_an_operation_is_not_over_before_somebody_saw_it_run(account):
    client = account.client("cloudformation")
    name = cloud.some_name()
    client.create_stack(StackName=name, TemplateBody=cloud.body({"Vpc": VPC}))
    seen = client.describe_stack_events(StackName=name)["StackEvents"][0]
    assert (seen["LogicalResourceId"], seen["ResourceStatus"]) == ("Vpc", "CREATE_COMPLETE")
    code, message = cloud.refusal(client.update_stack, StackName=name, TemplateBody=cloud.body({"Vpc": SUBNET}))
    assert (code, "CREATE_IN_PROGRESS state and can not be updated" in message) == ("ValidationError", True)
    statuses = [client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] for _ in range(3)]
    assert statuses == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE", "CREATE_COMPLETE"]
    client.delete_stack(StackName=name)


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ({"Type": "AWS::Foo::Bar"}, "Unrecognized resource type: AWS::Foo::Bar"),
        ({"Type": "AWS::SageMaker::Cluster"}, "AWS::SageMaker::Cluster has no model in the emulated account"),
        (
            {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlok": "10.0.0.0/16"}},
            "extraneous key [CidrBlok] is not permitted",
        ),
        (
            {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupName": "x"}},
            "required key [GroupDescription] not found",
        ),
        ({"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": ["10.0.0.0/16"]}}, "CidrBlock: expected string"),
        ({"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/99"}}, "10.0.0.0/99"),
        (
            {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": TRUST,
                    "ManagedPolicyArns": ["arn:aws:iam::aws:policy/NoSuchPolicy"],
                },
            },
            "NoSuchPolicy",
        ),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_cannot_be_made_fails_the_stack_by_name_and_leaves_nothing(account, resource, reason):
    before = cloud.inventory(account)
    failed = cloud.create(account, {"Vpc": VPC, "Wrong": {**resource, "DependsOn": "Vpc"}})
    assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
    happened = cloud.events(account, failed)
    assert next(name for name, status, _ in happened if status == "CREATE_FAILED") == "Wrong"
    assert reason in cloud.why(account, failed)
    assert ("Vpc", "DELETE_COMPLETE", "") in happened
    cloud.delete(account, failed)
    assert cloud.inventory(account) == before


@pytest.mark.parametrize("choice", [{"OnFailure": "DO_NOTHING"}, {"DisableRollback": True}], ids=str)
def test_without_rollback_a_failed_stack_stays_as_it_is_for_a_post_mortem(account, choice):
    before = cloud.inventory(account)
    failed = cloud.create(account, {"Vpc": VPC, "Wrong": UNKNOWN}, **choice)
    assert (failed["StackStatus"], failed["DisableRollback"]) == ("CREATE_FAILED", True)
    assert "[Wrong]" in failed["StackStatusReason"]
    assert cloud.physical_id(account, failed, "Vpc") in cloud.inventory(account)["EC2 VPCs"]
    assert cloud.delete(account, failed)["StackStatus"] == "DELETE_COMPLETE"
    assert cloud.inventory(account) == before


def test_a_stack_that_is_to_go_when_it_fails_is_gone(account):
    failed = cloud.create(account, {"Vpc": VPC, "Wrong": UNKNOWN}, OnFailure="DELETE")
    assert failed["StackStatus"] == "DELETE_COMPLETE"


def test_a_rolled_back_stack_can_only_be_deleted(account):
    failed = cloud.create(account, {"Vpc": VPC, "Wrong": UNKNOWN})
    client = account.client("cloudformation")
    asked = {"StackName": failed["StackName"], "TemplateBody": cloud.body({"Vpc": VPC})}
    assert "ROLLBACK_COMPLETE state and can not be updated" in cloud.refusal(client.update_stack, **asked)[1]
    assert cloud.refusal(client.create_stack, **asked)[0] == "AlreadyExistsException"
    cloud.delete(account, failed)


def test_the_account_says_what_it_does_not_emulate(account):
    code, message = cloud.refusal(account.client("ec2").describe_instance_event_windows)
    assert code == "NotEmulated"
    assert "describe_instance_event_windows" in message


def test_a_long_body_is_refused_and_the_same_from_s3_is_not(account):
    text = cloud.body({"Vpc": VPC}, Description="x", Metadata={"long": "x" * 51_200})
    client = account.client("cloudformation")
    code, message = cloud.refusal(client.create_stack, StackName=cloud.some_name(), TemplateBody=text)
    assert (code, "51200" in message) == ("ValidationError", True)
    bucket = cloud.some_name()
    account.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account.region})
    account.client("s3").put_object(Bucket=bucket, Key="a/b.json", Body=text.encode())
    for url in (f"https://{bucket}.s3.us-east-2.amazonaws.com/a/b.json", f"https://s3.amazonaws.com/{bucket}/a/b.json"):
        made = client.create_stack(StackName=cloud.some_name(), TemplateURL=url)
        assert cloud.settled(account, made["StackId"])["StackStatus"] == "CREATE_COMPLETE"
        cloud.delete(account, made)
    account.client("s3").delete_object(Bucket=bucket, Key="a/b.json")
    assert "S3 error" in cloud.refusal(client.create_stack, StackName="x", TemplateURL=url)[1]
    account.client("s3").delete_bucket(Bucket=bucket)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Resources: [", "Template format error"),
        ("Resources: {}", "At least one Resources member must be defined"),
        ("Resourcen: {}", "Invalid template property or properties [Resourcen]"),
        (cloud.body({"A b": VPC}), "Resource name A b is non alphanumeric"),
        (cloud.body({"A": SUBNET}), "Unresolved resource dependencies [Vpc] in the Resources block"),
        (cloud.body({"A": VPC}, Outputs={"B": {"Value": {"Ref": "C"}}}), "[C] in the Outputs block"),
        (
            cloud.body({"A": {**VPC, "DependsOn": "B"}, "B": {**VPC, "DependsOn": ["A"]}}),
            "Circular dependency between resources: [A, B]",
        ),
        (cloud.body({"A": {**VPC, "Propertis": {}}}), "Invalid template resource property 'Propertis' (A)"),
        (cloud.body({"A": VPC}, Transform="AWS::Serverless-2016-10-31"), "runs no Transform"),
    ],
    ids=lambda case: case[:30],
)
def test_a_malformed_template_makes_no_stack(account, text, message):
    name = cloud.some_name()
    client = account.client("cloudformation")
    assert message in cloud.refusal(client.create_stack, StackName=name, TemplateBody=text)[1]
    assert "does not exist" in cloud.refusal(client.describe_stacks, StackName=name)[1]


@pytest.mark.parametrize(
    ("properties", "granted", "needed"),
    [
        ({}, [], "CAPABILITY_IAM"),
        ({"RoleName": "r"}, ["CAPABILITY_IAM"], "CAPABILITY_NAMED_IAM"),
    ],
)
def test_iam_resources_need_the_callers_word(account, properties, granted, needed):
    role = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST, **properties}}
    asked = {"StackName": cloud.some_name(), "TemplateBody": cloud.body({"Role": role}), "Capabilities": granted}
    code, message = cloud.refusal(account.client("cloudformation").create_stack, **asked)
    assert (code, message) == ("InsufficientCapabilitiesException", f"Requires capabilities : [{needed}]")


def test_tags_of_the_stack_are_on_what_it_makes(account):
    stack = cloud.create(account, {"Vpc": VPC, "Group": GROUP}, Tags=[{"Key": "trainyard:cluster", "Value": "demo"}])
    found = account.client("ec2").describe_vpcs(VpcIds=[cloud.physical_id(account, stack, "Vpc")])["Vpcs"][0]["Tags"]
    tags = {tag["Key"]: tag["Value"] for tag in found}
    assert tags["trainyard:cluster"] == "demo"
    assert tags["aws:cloudformation:logical-id"] == "Vpc"
    assert stack["Tags"] == [{"Key": "trainyard:cluster", "Value": "demo"}]
    cloud.delete(account, stack)


def test_a_nested_stack_gives_its_outputs_and_fails_with_its_reason(account):
    bucket = cloud.some_name()
    s3 = account.client("s3")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account.region})
    inner = cloud.body({"Vpc": VPC}, Outputs={"Id": {"Value": {"Ref": "Vpc"}}})
    s3.put_object(Bucket=bucket, Key="good", Body=inner.encode())
    s3.put_object(Bucket=bucket, Key="bad", Body=cloud.body({"Vpc": VPC, "Wrong": UNKNOWN}).encode())
    url = f"https://{bucket}.s3.us-east-2.amazonaws.com"
    nested = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": f"{url}/good"}}
    subnet = {**SUBNET, "Properties": {**SUBNET["Properties"], "VpcId": {"Fn::GetAtt": ["Nested", "Outputs.Id"]}}}
    stack = cloud.create(account, {"Nested": nested, "Subnet": subnet})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    child = cloud.settled_child(account, cloud.physical_id(account, stack, "Nested"))
    assert (child["ParentId"], child["StackStatus"]) == (stack["StackId"], "CREATE_COMPLETE")
    assert cloud.delete(account, stack)["StackStatus"] == "DELETE_COMPLETE"
    before = cloud.inventory(account)
    failed = cloud.create(account, {"Nested": {**nested, "Properties": {"TemplateURL": f"{url}/bad"}}})
    assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Unrecognized resource type: AWS::Foo::Bar" in cloud.why(account, failed)
    cloud.delete(account, failed)
    assert cloud.inventory(account) == before
    kept = cloud.create(
        account, {"Nested": {**nested, "Properties": {"TemplateURL": f"{url}/bad"}}}, DisableRollback=True
    )
    assert kept["StackStatus"] == "CREATE_FAILED"
    child = cloud.settled_child(account, cloud.physical_id(account, kept, "Nested"))
    assert child["StackStatus"] == "CREATE_FAILED"
    assert cloud.delete(account, kept)["StackStatus"] == "DELETE_COMPLETE"
    assert cloud.inventory(account) == before


def test_a_call_that_is_made_again_because_its_answer_was_lost_changes_nothing(account):
    client = account.client("cloudformation")
    name = cloud.some_name()
    asked = {"StackName": name, "TemplateBody": cloud.body({"Vpc": VPC}), "ClientRequestToken": "one"}
    first, again = (client.create_stack(**asked)["StackId"] for _ in range(2))
    assert first == again
    assert cloud.refusal(client.create_stack, **{**asked, "ClientRequestToken": "two"})[0] == "AlreadyExistsException"
    cloud.settled(account, name)
    plan = {"StackName": name, "ChangeSetName": "plan", "TemplateBody": cloud.body({"Vpc": VPC, "Subnet": SUBNET})}
    one, same = (client.create_change_set(**plan, ClientToken="t")["Id"] for _ in range(2))
    assert one == same
    assert cloud.refusal(client.create_change_set, **plan)[0] == "AlreadyExistsException"
    for _ in range(2):
        client.execute_change_set(ChangeSetName=one, ClientRequestToken="three")
    assert cloud.settled(account, name)["StackStatus"] == "UPDATE_COMPLETE"
    cloud.delete(account, {"StackId": first})


def test_an_instance_needs_an_image_that_exists(account):
    instance = {"ImageId": "ami-0123456789abcdef0", "InstanceType": "t3.medium", "SubnetId": {"Ref": "Subnet"}}
    resources = {"Vpc": VPC, "Subnet": SUBNET, "Instance": {"Type": "AWS::EC2::Instance", "Properties": instance}}
    failed = cloud.create(account, resources)
    assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "ami-0123456789abcdef0" in cloud.why(account, failed)
    cloud.delete(account, failed)
