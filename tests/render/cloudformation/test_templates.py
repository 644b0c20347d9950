"""What holds for every template, whatever the spec."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import trainyard.render
from tests.render.cloudformation.templates import STACKS, TEMPLATES, TEXTS, reached

# What the replaced template and its README call them: docs/migration.md names it.
DOCUMENTED_PARAMETERS = {
    "network": {
        "VPCName",
        "PrimarySubnetAZ",
        "SecondarySubnetAZ",
        "MonitoringType",
        "AllowedIPsForMonitoringSSH",
        "AllowedIPsForALB",
        "CreateS3Endpoint",
    },
    "storage": {"Capacity", "PerUnitStorageThroughput", "Compression", "LustreVersion"},
    "monitoring": {"MonitoringType", "S3BucketName", "MonitoringKeyPair", "SSLCertificateArn"},
    "vpc-one-az": {"VPCName", "SubnetsAZ", "CreateS3Endpoint", "CreateDynamoDBEndpoint"},
}
DOCUMENTED_OUTPUTS = {
    "network": {
        "VpcId",
        "PublicSubnet",
        "PrimaryPrivateSubnet",
        "HeadNodeSecurityGroup",
        "ComputeNodeSecurityGroup",
        "LoginNodeSecurityGroup",
    },
    "storage": {"FSxLustreFilesystemId", "FSxORootVolumeId"},
    "monitoring": {
        "MonitoringType",
        "AMPWorkspaceId",
        "AMPPrometheusEndpoint",
        "AMPRemoteWritePolicyArn",
        "AMPQueryPolicyArn",
        "GrafanaAccessInstructions",
        "ManagedGrafanaWorkspaceEndpoint",
        "ALBDNSName",
        "AlertTopicArn",
    },
}


# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
@pytest.mark.parametrize("name", sorted(set(TEMPLATES) - {"rules"}))
def test_a_template_is_short_enough_to_be_given_inline(name: str):
    assert len(TEXTS[name].encode()) <= 51_200


def test_the_rules_are_short_enough_to_be_given_from_s3():
    assert 51_200 < len(TEXTS["rules"].encode()) <= 1_048_576


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_parameter_reaches_a_resource(name: str):
    template = TEMPLATES[name]
    assert set(template["Parameters"]) - reached(template, "Resources") == set()


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_condition_is_used(name: str):
    template = TEMPLATES[name]
    used = reached(template, "Resources") | reached(template, "Outputs")
    assert set(template.get("Conditions", {})) - used == set()


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_parameter_says_what_it_is(name: str):
    assert all(parameter["Description"] for parameter in TEMPLATES[name]["Parameters"].values())


@pytest.mark.parametrize("name", DOCUMENTED_PARAMETERS)
def test_documented_parameters_keep_their_names(name: str):
    assert DOCUMENTED_PARAMETERS[name] <= TEMPLATES[name]["Parameters"].keys()


@pytest.mark.parametrize("name", DOCUMENTED_OUTPUTS)
def test_documented_outputs_keep_their_names(name: str):
    assert DOCUMENTED_OUTPUTS[name] <= TEMPLATES[name]["Outputs"].keys()


def test_the_network_of_batch_exports_what_batch_imports():
    outputs = TEMPLATES["vpc-one-az"]["Outputs"]
    exports = {name: one["Export"]["Name"]["Fn::Sub"] for name, one in outputs.items()}
    names = ("VPC", "PublicSubnet", "PrivateSubnet", "SecurityGroup", "FSXSecurityGroup")
    assert exports == {name: f"${{AWS::StackName}}-{name}" for name in names}


def test_every_stand_in_is_an_output_of_its_stack():
    stand_ins = yaml.safe_load((Path(trainyard.render.__file__).parent / "stand_ins.yaml").read_text(encoding="utf-8"))
    expected = {kind: facts["stack"] for kind, facts in stand_ins.items() if facts["stack"] in STACKS}
    # The bucket is made apart from the stacks, a zone of an existing subnet is asked for, and further subnets are named
    # after the letter of their zone.
    assert expected.pop("MonitoringZone") == "network"
    assert expected.pop("AssetsBucket") == "assets"
    assert expected.pop("PrivateSubnet") == "network"
    given = {output: stack for stack in STACKS for output in TEMPLATES[stack]["Outputs"]}
    assert {kind: given.get(kind) for kind in expected} == expected
    assert {f"PrivateSubnet{letter}" for letter in "ABCDEF"} <= given.keys()
