"""What somebody else has changed of stacks since the last deployment."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.examples import example_spec
from tests.specs import spec_of
from trainyard.deploy.record import Deployment
from trainyard.deploy.stack_drift import stack_drift
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.errors import TrainyardError
from trainyard.operate.status.status_query import status
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids
from trainyard.version import __version__

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = "name: drifted\nqueues: [{name: q, instance_type: m5.large}]\n"


def record(account: Account, **values: Any) -> Deployment:
    values = {"stage": "deployed", "trainyard_version": __version__, **values}
    return Deployment(
        name="drifted",
        region=account.region,
        parallelcluster_version="3.16.1",
        spec_text=example_spec(SPEC),
        cluster_config=None,
        since="",
        **values,
    )


def drift(account: Account, **values: Any) -> list[str]:
    return list(map(str, stack_drift(account, "mine", record(account, **values), all_stacks(account))))


RESOURCES = {
    "Role": {
        "Type": "AWS::IAM::Role",
        "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
    },
    "Nodes": {
        "Type": "AWS::Batch::ComputeEnvironment",
        "Properties": {
            "Type": "MANAGED",
            "State": "ENABLED",
            "ComputeResources": {
                "Type": "EC2",
                "MinvCpus": 0,
                "MaxvCpus": 96,
                "InstanceTypes": ["p5.48xlarge"],
                "InstanceRole": "arn:aws:iam::123456789012:instance-profile/nodes",
                "Subnets": ["subnet-0"],
                "SecurityGroupIds": ["sg-0"],
            },
        },
    },
    "Logs": {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "/drifted"}},
}


def test_resources_changed_past_their_stack_are_found_when_asked_for(account: Account):
    client = account.client("cloudformation")
    tags = [{"Key": "trainyard:cluster", "Value": "past"}]
    with_subnet = yaml.safe_dump({"Resources": with_network(account, RESOURCES)})
    client.create_stack(
        StackName="past-batch", TemplateBody=with_subnet, Tags=tags, Capabilities=["CAPABILITY_NAMED_IAM"]
    )
    all_stacks(account)
    # A default that AWS has chosen, where the template says nothing, is no drift.
    account.client("logs").put_retention_policy(logGroupName="/drifted", retentionInDays=7)
    assert drift_of(account, "past") == []

    batch = account.client("batch")
    (nodes,) = batch.describe_compute_environments()["computeEnvironments"]
    name = nodes["computeEnvironmentName"]
    batch.update_compute_environment(computeEnvironment=name, computeResources={"maxvCpus": 384})
    account.client("logs").delete_log_group(logGroupName="/drifted")
    assert drift_of(account, "past", detects_drift=False) == []
    assert {*drift_of(account, "past")} == {
        "past-batch: Nodes.ComputeResources.MaxvCpus: 96 -> 384",
        "past-batch: Logs is gone: /drifted",
    }
    looked = status("past", account, detects_drift=True)
    assert any("past-batch: Nodes.ComputeResources.MaxvCpus" in concern.what for concern in looked.concerns)


GROUPS: dict[str, Any] = {
    "Shared": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {
            "GroupDescription": "file systems",
            "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988, "CidrIp": "10.0.0.0/16"}],
        },
    },
    "FromItself": {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {
            "GroupId": {"Fn::GetAtt": ["Shared", "GroupId"]},
            "IpProtocol": "-1",
            "SourceSecurityGroupId": {"Fn::GetAtt": ["Shared", "GroupId"]},
        },
    },
    "Open": {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "says nothing of its rules"}},
}


def permission(port: int, source: str) -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "IpRanges": [{"CidrIp": source}]}


def test_rules_of_security_groups_that_somebody_adds_or_takes_away_are_found(account: Account):
    client, ec2 = account.client("cloudformation"), account.client("ec2")
    tags = [{"Key": "trainyard:cluster", "Value": "closed"}]
    client.create_stack(StackName="closed-batch", TemplateBody=yaml.safe_dump({"Resources": GROUPS}), Tags=tags)
    all_stacks(account)
    # Neither the rule that is a resource of its own is drift, nor the open egress that EC2 gives to every group.
    assert drift_of(account, "closed") == []

    listed = client.describe_stack_resources(StackName="closed-batch")["StackResources"]
    ids = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in listed}
    ec2.authorize_security_group_ingress(GroupId=ids["Shared"], IpPermissions=[permission(22, "0.0.0.0/0")])
    ec2.authorize_security_group_ingress(GroupId=ids["Open"], IpPermissions=[permission(22, "0.0.0.0/0")])
    (told,) = drift_of(account, "closed")
    assert told.startswith("closed-batch: Shared.SecurityGroupIngress.2 is new: ")
    assert "0.0.0.0/0" in told

    ec2.revoke_security_group_ingress(GroupId=ids["Shared"], IpPermissions=[permission(988, "10.0.0.0/16")])
    own = [{"UserId": account.id, "GroupId": ids["Shared"]}]
    ec2.revoke_security_group_ingress(
        GroupId=ids["Shared"], IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": own}]
    )
    told = " ".join(drift_of(account, "closed"))
    assert "closed-batch: Shared.SecurityGroupIngress.0 is gone: " in told
    assert f"closed-batch: FromItself is gone: {ids['FromItself']}" in told


def drift_of(account: Account, name: str, *, detects_drift: bool = True) -> list[str]:
    looked = status(name, account, detects_drift=detects_drift)
    assert not [part for part in looked.unknown if part.startswith("resources of")], looked.unknown
    return list(map(str, looked.drift))


def with_network(account: Account, resources: dict[str, Any]) -> dict[str, Any]:
    """Return the resources with a subnet and a security group of the account, and with a profile of their own."""
    ec2 = account.client("ec2")
    made = copy.deepcopy(resources)
    places = made["Nodes"]["Properties"]["ComputeResources"]
    places["Subnets"] = [ec2.describe_subnets()["Subnets"][0]["SubnetId"]]
    places["SecurityGroupIds"] = [ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]]
    profile = {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [{"Ref": "Role"}]}}
    places["InstanceRole"] = {"Fn::GetAtt": ["Profile", "Arn"]}
    return {**made, "Profile": profile}


def test_stacks_are_held_against_what_the_recorded_spec_says(account: Account):
    network = stack(spec_of(SPEC), "network", Ids({}))
    client = account.client("cloudformation")
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in network.parameters.items()]
    tags = [{"Key": key, "Value": value} for key, value in network.tags.items()]
    more = {"Parameters": given, "Tags": tags, "Capabilities": ["CAPABILITY_NAMED_IAM"]}
    client.create_stack(StackName="drifted-network", TemplateBody=network.template, **more)
    all_stacks(account)  # nobody is done before somebody has looked
    assert drift(account) == []

    template = yaml.safe_load(network.template)
    template["Resources"]["Topic"] = {"Type": "AWS::SNS::Topic"}
    client.update_stack(StackName="drifted-network", TemplateBody=yaml.safe_dump(template), **more)
    all_stacks(account)
    assert "drifted-network: Resources.Topic is new: \"{'Type': 'AWS::SNS::Topic'}\"" in drift(account)
    assert drift(account, stage="deploying") == []
    with pytest.raises(TrainyardError, match=r"deployed by trainyard 0\.0\.1"):
        drift(account, trainyard_version="0.0.1")
