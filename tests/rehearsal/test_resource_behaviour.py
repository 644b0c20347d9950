"""What resources of the emulated account do beyond being there: passwords, certificates, rules, references."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.cloud import GROUP, SUBNET, VPC
from tests.rehearsal.resource_cases import network, watching
from tests.rehearsal.resource_cases.parts import NETWORK, resource

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def test_a_generated_password_is_as_its_recipe_says_and_in_no_answer(account):
    stack = cloud.create(account, watching.CASES["SecretsManager::Secret"][0])
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


def test_a_network_interface_stays_when_its_security_groups_change(account):
    there = {"Vpc": VPC, "First": GROUP, "Second": GROUP, "Subnet": SUBNET}

    def with_group(name: str) -> dict[str, Any]:
        groups = [{"Fn::GetAtt": [name, "GroupId"]}]
        return {**there, "It": resource("EC2::NetworkInterface", SubnetId={"Ref": "Subnet"}, GroupSet=groups)}

    address = {"Outputs": {"Address": {"Value": {"Fn::GetAtt": ["It", "PrimaryPrivateIpAddress"]}}}}
    stack = cloud.create(account, with_group("First"), sections=address)
    made = cloud.physical_id(account, stack, "It")
    stack = cloud.update(account, stack, with_group("Second"), sections=address)
    assert stack["StackStatus"] == "UPDATE_COMPLETE", cloud.why(account, stack)
    (interface,) = account.client("ec2").describe_network_interfaces(NetworkInterfaceIds=[made])["NetworkInterfaces"]
    assert cloud.outputs(stack) == {"Address": interface["PrivateIpAddress"]}
    assert [group["GroupId"] for group in interface["Groups"]] == [cloud.physical_id(account, stack, "Second")]
    cloud.delete(account, stack)


def test_https_needs_a_certificate_that_exists(account):
    resources, _ = network.CASES["ElasticLoadBalancingV2::TargetGroup"]
    listener = resources["Listener"]["Properties"]
    made = account.client("acm").request_certificate(DomainName="x.example.com")["CertificateArn"]
    for arn, status in (("", "ROLLBACK_COMPLETE"), (made[:-1], "ROLLBACK_COMPLETE"), (made, "CREATE_COMPLETE")):
        chosen = {"Certificates": [{"CertificateArn": arn}]} if arn else {}
        secure = {"Type": resources["Listener"]["Type"], "Properties": {**listener, "Protocol": "HTTPS", **chosen}}
        stack = cloud.create(account, {**resources, "Listener": secure})
        assert stack["StackStatus"] == status
        cloud.delete(account, stack)
    account.client("acm").delete_certificate(CertificateArn=made)


def test_a_network_load_balancer_moves_to_another_subnet_by_itself(account):
    def standing_in(subnet: str) -> dict[str, Any]:
        balancer = resource("ElasticLoadBalancingV2::LoadBalancer", Type="network", Subnets=[{"Ref": subnet}])
        return {**NETWORK, "It": balancer}

    stack = cloud.create(account, standing_in("Subnet"))
    stack = cloud.update(account, stack, standing_in("Other"))
    assert stack["StackStatus"] == "UPDATE_COMPLETE", cloud.why(account, stack)
    arns = [cloud.physical_id(account, stack, "It")]
    (balancer,) = account.client("elbv2").describe_load_balancers(LoadBalancerArns=arns)["LoadBalancers"]
    zones = [zone["SubnetId"] for zone in balancer["AvailabilityZones"]]
    assert zones == [cloud.physical_id(account, stack, "Other")]
    cloud.delete(account, stack)


def test_grafana_answers_for_its_workspaces(account):
    grafana = account.client("grafana")
    stack = cloud.create(account, watching.CASES["Grafana::Workspace"][0])
    name = cloud.physical_id(account, stack, "It")
    workspace = grafana.describe_workspace(workspaceId=name)["workspace"]
    assert (workspace["status"], workspace["name"]) == ("ACTIVE", "demo")
    assert name in [workspace["id"] for workspace in grafana.list_workspaces()["workspaces"]]
    user = {"id": "u-1", "type": "SSO_USER"}
    grafana.update_permissions(
        workspaceId=name, updateInstructionBatch=[{"action": "ADD", "role": "ADMIN", "users": [user]}]
    )
    assert grafana.list_permissions(workspaceId=name)["permissions"] == [{"role": "ADMIN", "user": user}]
    cloud.delete(account, stack)
    assert cloud.refusal(grafana.describe_workspace, workspaceId=name)[0] == "ResourceNotFoundException"


def test_an_update_moves_a_workspace_to_a_newer_grafana_and_never_back(account):
    resources = watching.CASES["Grafana::Workspace"][0]

    def of_version(version: str) -> dict[str, object]:
        workspace = resources["It"]
        return {**resources, "It": {**workspace, "Properties": {**workspace["Properties"], "GrafanaVersion": version}}}

    stack = cloud.create(account, of_version("10.4"))
    name = cloud.physical_id(account, stack, "It")
    for version, moved in (("12.4", "12.4"), ("10.4", "12.4")):
        cloud.update(account, stack, of_version(version))
        assert cloud.physical_id(account, stack, "It") == name
        workspace = account.client("grafana").describe_workspace(workspaceId=name)["workspace"]
        assert workspace["grafanaVersion"] == moved
    cloud.delete(account, stack)


def test_a_custom_resource_needs_its_function(account):
    token = f"arn:aws:lambda:us-east-2:{account.id}:function:nobody"
    failed = cloud.create(account, {"It": {"Type": "Custom::Anything", "Properties": {"ServiceToken": token}}})
    assert failed["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "nobody" in cloud.why(account, failed)
    cloud.delete(account, failed)


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


def test_as_many_instances_start_as_a_call_allows_with_their_volumes_where_their_interfaces_are(account):
    ec2 = account.client("ec2")
    zone = ec2.describe_availability_zones()["AvailabilityZones"][-1]["ZoneName"]
    (subnet, *_) = ec2.describe_subnets(Filters=[{"Name": "availability-zone", "Values": [zone]}])["Subnets"]
    launched = ec2.run_instances(
        ImageId=ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"],
        InstanceType="m5.large", MinCount=1, MaxCount=3,
        NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": subnet["SubnetId"]}],
    )["Instances"]  # fmt: skip
    ids = [instance["InstanceId"] for instance in launched]
    volumes = ec2.describe_volumes(Filters=[{"Name": "attachment.instance-id", "Values": ids}])["Volumes"]
    assert [instance["Placement"]["AvailabilityZone"] for instance in launched] == [zone] * 3
    assert {volume["AvailabilityZone"] for volume in volumes} == {zone}
    ec2.terminate_instances(InstanceIds=ids)


def test_an_instance_has_the_kind_of_volume_that_was_asked_for_with_its_operations(account):
    ec2 = account.client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]

    def volumes(**ebs: Any) -> dict[str, Any]:
        return {"BlockDeviceMappings": [{"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 100, **ebs}}]}

    asked: dict[str, Any] = {"ImageId": image, "InstanceType": "m5.large", "MinCount": 1, "MaxCount": 1}
    (instance,) = ec2.run_instances(**asked, **volumes(VolumeType="io2", Iops=400))["Instances"]
    made = ec2.describe_volumes(Filters=[{"Name": "attachment.instance-id", "Values": [instance["InstanceId"]]}])
    assert ("io2", 400) in {(volume["VolumeType"], volume.get("Iops")) for volume in made["Volumes"]}
    code, _ = cloud.refusal(ec2.run_instances, **asked, **volumes(VolumeType="io1"))
    assert code == "MissingParameter"
    ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
