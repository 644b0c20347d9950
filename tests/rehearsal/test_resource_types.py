"""Every resource type is made through the account's own API, is there to be asked for, and goes without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rehearsal import cloud
from tests.rehearsal.cloud import GROUP, SUBNET, TRUST, VPC
from trainyard.rehearsal.emulated import resource_types
from trainyard.rehearsal.emulated.engine.types import is_modelled
from trainyard.rehearsal.emulated.extensions import resource_type_modules
from trainyard.render import cloudformation

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_TEMPLATES = Path(cloudformation.__file__ or "").parent
_POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
_OTHER_SUBNET = {
    **SUBNET,
    "Properties": {**SUBNET["Properties"], "CidrBlock": "10.7.2.0/24", "AvailabilityZone": "us-east-2b"},
}
_NETWORK = {"Vpc": VPC, "Subnet": SUBNET, "Other": _OTHER_SUBNET, "Group": GROUP}


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def att(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties}


# What makes each type, and the attributes that a template can ask for.
_CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "EC2::VPCCidrBlock": (
        {**_NETWORK, "It": resource("EC2::VPCCidrBlock", VpcId=ref("Vpc"), CidrBlock="10.8.0.0/16")},
        ["Id"],
    ),
    "EC2::NatGateway": (
        {
            **_NETWORK,
            "Gateway": resource("EC2::InternetGateway"),
            "Attached": resource("EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Gateway")),
            "Address": {**resource("EC2::EIP", Domain="vpc"), "DependsOn": "Attached"},
            "It": resource("EC2::NatGateway", SubnetId=ref("Subnet"), AllocationId=att("Address", "AllocationId")),
            "Table": resource("EC2::RouteTable", VpcId=ref("Vpc")),
            "Route": resource(
                "EC2::Route", RouteTableId=ref("Table"), DestinationCidrBlock="0.0.0.0/0", NatGatewayId=ref("It")
            ),
            "Routed": resource("EC2::SubnetRouteTableAssociation", SubnetId=ref("Other"), RouteTableId=ref("Table")),
        },
        ["NatGatewayId"],
    ),
    "EC2::SecurityGroupEgress": (
        {
            **_NETWORK,
            "It": resource(
                "EC2::SecurityGroupEgress",
                GroupId=ref("Group"),
                IpProtocol=-1,
                DestinationSecurityGroupId=ref("Group"),
            ),
        },
        ["Id"],
    ),
    "EC2::SecurityGroupIngress": (
        {
            **_NETWORK,
            "It": resource(
                "EC2::SecurityGroupIngress",
                GroupId=ref("Group"),
                IpProtocol="tcp",
                FromPort=22,
                ToPort=22,
                CidrIp="203.0.113.7/32",
            ),
        },
        ["Id"],
    ),
    "EC2::VPCEndpoint (gateway)": (
        {
            **_NETWORK,
            "Table": resource("EC2::RouteTable", VpcId=ref("Vpc")),
            "It": resource(
                "EC2::VPCEndpoint",
                VpcId=ref("Vpc"),
                ServiceName={"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
                RouteTableIds=[ref("Table")],
            ),
        },
        ["Id"],
    ),
    "EC2::VPCEndpoint (interface)": (
        {
            **_NETWORK,
            "It": resource(
                "EC2::VPCEndpoint",
                VpcId=ref("Vpc"),
                ServiceName={"Fn::Sub": "com.amazonaws.${AWS::Region}.ec2"},
                VpcEndpointType="Interface",
                PrivateDnsEnabled="true",
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
            ),
        },
        ["Id"],
    ),
    "EC2::PrefixList": (
        {
            "It": resource(
                "EC2::PrefixList",
                PrefixListName="ranges",
                AddressFamily="IPv4",
                MaxEntries=4,
                Entries=[{"Cidr": "203.0.113.0/24"}],
            )
        },
        ["Arn", "PrefixListId"],
    ),
    "EC2::PlacementGroup": ({"It": resource("EC2::PlacementGroup", Strategy="cluster")}, ["GroupName"]),
    "EC2::CapacityReservation": (
        {
            "It": resource(
                "EC2::CapacityReservation",
                AvailabilityZone="us-east-2a",
                InstanceType="p5.48xlarge",
                InstanceCount=2,
                InstancePlatform="Linux/UNIX",
            )
        },
        ["AvailableInstanceCount", "TotalInstanceCount"],
    ),
    "EC2::KeyPair": (
        {"It": resource("EC2::KeyPair", KeyName=cloud.some_name(), KeyType="ed25519")},
        ["KeyFingerprint", "KeyPairId"],
    ),
    "EC2::FlowLog": (
        {
            **_NETWORK,
            "Bucket": resource("S3::Bucket"),
            "It": resource(
                "EC2::FlowLog",
                ResourceId=ref("Vpc"),
                ResourceType="VPC",
                TrafficType="REJECT",
                LogDestinationType="s3",
                LogDestination=att("Bucket", "Arn"),
            ),
        },
        ["Id"],
    ),
    "EC2::Volume": (
        {"It": resource("EC2::Volume", AvailabilityZone="us-east-2a", Size="200", VolumeType="gp3", Encrypted=True)},
        ["VolumeId"],
    ),
    "FSx::FileSystem (Lustre)": (
        {
            **_NETWORK,
            "It": resource(
                "FSx::FileSystem",
                FileSystemType="LUSTRE",
                StorageCapacity=4800,
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
                LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
            ),
        },
        ["DNSName", "LustreMountName", "ResourceARN"],
    ),
    "FSx::FileSystem (OpenZFS)": (
        {
            **_NETWORK,
            "It": resource(
                "FSx::FileSystem",
                FileSystemType="OPENZFS",
                StorageCapacity=512,
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
                OpenZFSConfiguration={
                    "DeploymentType": "SINGLE_AZ_1",
                    "ThroughputCapacity": 64,
                    "Options": ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
                },
            ),
        },
        ["DNSName", "ResourceARN", "RootVolumeId"],
    ),
    "FSx::DataRepositoryAssociation": (
        {
            **_NETWORK,
            "Bucket": resource("S3::Bucket"),
            "Lustre": resource(
                "FSx::FileSystem",
                FileSystemType="LUSTRE",
                StorageCapacity=4800,
                SubnetIds=[ref("Subnet")],
                LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
            ),
            "It": resource(
                "FSx::DataRepositoryAssociation",
                FileSystemId=ref("Lustre"),
                FileSystemPath="/data",
                DataRepositoryPath={"Fn::Sub": "s3://${Bucket}/data"},
                S3={"AutoImportPolicy": {"Events": ["NEW"]}},
            ),
        },
        ["AssociationId", "ResourceARN"],
    ),
    "APS::Workspace": (
        {"It": resource("APS::Workspace", Alias="demo")},
        ["Arn", "PrometheusEndpoint", "WorkspaceId"],
    ),
    "Grafana::Workspace": (
        {
            "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
            "It": resource(
                "Grafana::Workspace",
                Name="demo",
                AccountAccessType="CURRENT_ACCOUNT",
                AuthenticationProviders=["AWS_SSO"],
                PermissionType="CUSTOMER_MANAGED",
                RoleArn=att("Role", "Arn"),
            ),
        },
        ["Endpoint", "GrafanaVersion", "Id", "Status"],
    ),
    "S3::BucketPolicy": (
        {
            "Bucket": resource("S3::Bucket"),
            "It": resource(
                "S3::BucketPolicy",
                Bucket=ref("Bucket"),
                PolicyDocument={
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Deny",
                            "Principal": "*",
                            "Action": "s3:*",
                            "Resource": att("Bucket", "Arn"),
                            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                        }
                    ],
                },
            ),
        },
        [],
    ),
    "SecretsManager::Secret": (
        {
            "It": resource(
                "SecretsManager::Secret",
                GenerateSecretString={
                    "SecretStringTemplate": '{"username": "admin"}',
                    "GenerateStringKey": "password",
                    "PasswordLength": 32,
                    "ExcludePunctuation": "true",
                },
            )
        },
        ["Id"],
    ),
    "IAM::ManagedPolicy": (
        {
            "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
            "It": resource("IAM::ManagedPolicy", Path="/team/", PolicyDocument=_POLICY, Roles=[ref("Role")]),
        },
        ["PolicyArn"],
    ),
    "IAM::InstanceProfile": (
        {
            "Boundary": resource("IAM::ManagedPolicy", PolicyDocument=_POLICY),
            "Role": resource(
                "IAM::Role",
                AssumeRolePolicyDocument=TRUST,
                PermissionsBoundary=ref("Boundary"),
                ManagedPolicyArns=[{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"}],
                Policies=[{"PolicyName": "own", "PolicyDocument": _POLICY}],
            ),
            "It": resource("IAM::InstanceProfile", Roles=[ref("Role")]),
        },
        ["Arn"],
    ),
    "ElasticLoadBalancingV2::TargetGroup": (
        {
            **_NETWORK,
            "Balancer": resource(
                "ElasticLoadBalancingV2::LoadBalancer",
                Subnets=[ref("Subnet"), ref("Other")],
                SecurityGroups=[ref("Group")],
                LoadBalancerAttributes=[{"Key": "deletion_protection.enabled", "Value": "false"}],
            ),
            "It": resource("ElasticLoadBalancingV2::TargetGroup", VpcId=ref("Vpc"), Port=3000, Protocol="HTTP"),
            "Listener": resource(
                "ElasticLoadBalancingV2::Listener",
                LoadBalancerArn=ref("Balancer"),
                Port=80,
                Protocol="HTTP",
                DefaultActions=[{"Type": "forward", "TargetGroupArn": ref("It")}],
            ),
        },
        ["TargetGroupName"],
    ),
    "ResourceGroups::Group": (
        {
            "It": resource(
                "ResourceGroups::Group",
                Name=cloud.some_name(),
                Configuration=[
                    {"Type": "AWS::EC2::CapacityReservationPool"},
                    {
                        "Type": "AWS::ResourceGroups::Generic",
                        "Parameters": [{"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}],
                    },
                ],
            )
        },
        ["Arn"],
    ),
    "Logs::MetricFilter": (
        {
            "Log": resource("Logs::LogGroup", RetentionInDays=7),
            "It": resource(
                "Logs::MetricFilter",
                LogGroupName=ref("Log"),
                FilterPattern="ERROR",
                MetricTransformations=[{"MetricName": "m", "MetricNamespace": "n", "MetricValue": "1"}],
            ),
        },
        [],
    ),
    "SSM::Parameter": ({"It": resource("SSM::Parameter", Type="String", Value="v")}, ["Value"]),
    "CloudFormation::WaitConditionHandle": ({"It": resource("CloudFormation::WaitConditionHandle")}, []),
    "EFS::MountTarget": (
        {
            **_NETWORK,
            "Efs": resource("EFS::FileSystem", Encrypted=True),
            "It": resource(
                "EFS::MountTarget", FileSystemId=ref("Efs"), SubnetId=ref("Subnet"), SecurityGroups=[ref("Group")]
            ),
        },
        [],
    ),
    "SNS::Topic": (
        {
            "Topic": resource("SNS::Topic"),
            "It": resource("SNS::Subscription", TopicArn=ref("Topic"), Protocol="email", Endpoint="a@example.com"),
        },
        [],
    ),
    "Route53::HostedZone": (
        {
            **_NETWORK,
            "It": resource(
                "Route53::HostedZone",
                Name="demo.pcluster",
                VPCs=[{"VPCId": ref("Vpc"), "VPCRegion": ref("AWS::Region")}],
            ),
        },
        ["Id"],
    ),
    "DynamoDB::Table": (
        {
            "It": resource(
                "DynamoDB::Table",
                AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
                BillingMode="PAY_PER_REQUEST",
            )
        },
        [],
    ),
    "CloudWatch::Dashboard": ({"It": resource("CloudWatch::Dashboard", DashboardBody='{"widgets": []}')}, []),
    "EC2::EIPAssociation": (
        {
            **_NETWORK,
            "Interface": resource("EC2::NetworkInterface", SubnetId=ref("Subnet"), GroupSet=[ref("Group")]),
            "Address": resource("EC2::EIP", Domain="vpc"),
            "It": resource(
                "EC2::EIPAssociation",
                AllocationId=att("Address", "AllocationId"),
                NetworkInterfaceId=ref("Interface"),
            ),
        },
        ["Id"],
    ),
    "EC2::Instance": (
        {
            **_NETWORK,
            "It": resource(
                "EC2::Instance",
                ImageId="{{resolve:ssm:/aws/service/ami-amazon-linux-latest/amzn2-ami-hvm-x86_64-gp2}}",
                InstanceType="t3.medium",
                SubnetId=ref("Subnet"),
                SecurityGroupIds=[ref("Group")],
                MetadataOptions={"HttpTokens": "required"},
            ),
        },
        ["PrivateIp", "AvailabilityZone"],
    ),
}


@pytest.mark.parametrize("case", _CASES)
def test_it_is_made_with_its_attributes_and_leaves_nothing_behind(account, case):
    resources, attributes = _CASES[case]
    before = cloud.inventory(account)
    shown = {"Ref": {"Value": ref("It")}, **{name: {"Value": att("It", name)} for name in attributes}}
    stack = cloud.create(account, resources, sections={"Outputs": shown}, Tags=[{"Key": "team", "Value": "llm"}])
    assert stack["StackStatus"] == "CREATE_COMPLETE", cloud.why(account, stack)
    assert all(cloud.outputs(stack).values())
    assert sorted(cloud.outputs(stack)) == sorted(shown)
    found = cloud.inventory(account)
    assert found != before or case in _UNLISTED
    gone = cloud.delete(account, stack)
    assert gone["StackStatus"] == "DELETE_COMPLETE", gone.get("StackStatusReason")
    assert cloud.inventory(account) == before


# They exist in CloudFormation alone.
_UNLISTED = {"CloudFormation::WaitConditionHandle"}


def test_a_generated_password_is_as_its_recipe_says_and_in_no_answer(account):
    stack = cloud.create(account, _CASES["SecretsManager::Secret"][0])
    secret = account.client("secretsmanager").get_secret_value(SecretId=cloud.physical_id(account, stack, "It"))
    value = json.loads(secret["SecretString"])
    assert value["username"] == "admin"
    assert (len(value["password"]), value["password"].isalnum()) == (32, True)
    assert value["password"] not in json.dumps([stack, cloud.events(account, stack)], default=str)
    cloud.delete(account, stack)


def test_rules_of_its_own_close_a_security_group_to_the_outside(account):
    closed = {**GROUP, "Properties": {**GROUP["Properties"], "SecurityGroupEgress": [
        {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}
    ]}}  # fmt: skip
    stack = cloud.create(account, {"Vpc": VPC, "Open": GROUP, "Closed": closed})
    for name, port in (("Open", None), ("Closed", 443)):
        ids = [cloud.physical_id(account, stack, name)]
        found = account.client("ec2").describe_security_groups(GroupIds=ids)["SecurityGroups"][0]
        assert [rule.get("FromPort") for rule in found["IpPermissionsEgress"]] == [port]
    cloud.delete(account, stack)


def test_https_needs_a_certificate_that_exists(account):
    resources, _ = _CASES["ElasticLoadBalancingV2::TargetGroup"]
    listener = resources["Listener"]["Properties"]
    made = account.client("acm").request_certificate(DomainName="x.example.com")["CertificateArn"]
    for arn, status in (("", "ROLLBACK_COMPLETE"), (made[:-1], "ROLLBACK_COMPLETE"), (made, "CREATE_COMPLETE")):
        chosen = {"Certificates": [{"CertificateArn": arn}]} if arn else {}
        secure = {"Type": resources["Listener"]["Type"], "Properties": {**listener, "Protocol": "HTTPS", **chosen}}
        stack = cloud.create(account, {**resources, "Listener": secure})
        assert stack["StackStatus"] == status
        cloud.delete(account, stack)
    account.client("acm").delete_certificate(CertificateArn=made)


def test_grafana_answers_for_its_workspaces(account):
    grafana = account.client("grafana")
    stack = cloud.create(account, _CASES["Grafana::Workspace"][0])
    name = cloud.physical_id(account, stack, "It")
    workspace = grafana.describe_workspace(workspaceId=name)["workspace"]
    assert (workspace["status"], workspace["name"]) == ("ACTIVE", "demo")
    assert [one["id"] for one in grafana.list_workspaces()["workspaces"]] == [name]
    user = {"id": "u-1", "type": "SSO_USER"}
    grafana.update_permissions(
        workspaceId=name, updateInstructionBatch=[{"action": "ADD", "role": "ADMIN", "users": [user]}]
    )
    assert grafana.list_permissions(workspaceId=name)["permissions"] == [{"role": "ADMIN", "user": user}]
    cloud.delete(account, stack)
    assert cloud.refusal(grafana.describe_workspace, workspaceId=name)[0] == "ResourceNotFoundException"


def test_a_custom_resource_needs_its_function(account):
    token = f"arn:aws:lambda:us-east-2:{account.id}:function:nobody"
    failed = cloud.create(account, {"It": {"Type": "Custom::Anything", "Properties": {"ServiceToken": token}}})
    assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "nobody" in cloud.why(account, failed)
    cloud.delete(account, failed)


@pytest.mark.parametrize("template", sorted(_TEMPLATES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_type_of_our_templates_is_modelled(template):
    resources = yaml.safe_load(template.read_text(encoding="utf-8"))["Resources"].values()
    assert [body["Type"] for body in resources if not is_modelled(body["Type"])] == []


# What the templates of ParallelCluster 3.14 to 3.16 make: the Cfn… classes in its folders templates/ and resources/,
# without those of custom images and of AWS Batch.
_OF_PARALLELCLUSTER = Path(__file__).with_name("parallelcluster_types.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("name", _OF_PARALLELCLUSTER)
def test_every_type_of_parallelclusters_templates_is_modelled(name):
    assert is_modelled(name)


def test_a_reference_is_followed_when_it_is_needed_and_never_shown(account):
    secret = account.client("secretsmanager").create_secret(Name=cloud.some_name(), SecretString='{"key": "hidden"}')
    written = f"{{{{resolve:secretsmanager:{secret['ARN']}:SecretString:key}}}}"
    resources = {"It": resource("SSM::Parameter", Type="String", Value=written)}
    stack = cloud.create(account, resources)
    found = account.client("ssm").get_parameter(Name=cloud.physical_id(account, stack, "It"))["Parameter"]
    assert found["Value"] == "hidden"
    missing = {"It": resource("SSM::Parameter", Type="String", Value="{{resolve:ssm:/not/there}}")}
    failed = cloud.create(account, missing)
    assert "/not/there" in cloud.why(account, failed)
    for one in (stack, failed):
        cloud.delete(account, one)
    account.client("secretsmanager").delete_secret(SecretId=secret["ARN"], ForceDeleteWithoutRecovery=True)


def test_every_type_has_a_file_of_its_own():
    folder = Path(resource_types.__file__ or "").parent
    assert len(resource_type_modules()) == len([file for file in folder.glob("*.py") if file.stem != "__init__"])
