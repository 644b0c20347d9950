"""What the templates allow, and to whom. No exception is needed; one that is has to be named here with its reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from tests.render.cloudformation.templates import TEMPLATES, names_in, of_type

EVERYWHERE = {"0.0.0.0/0", "::/0"}
ROLES = [
    pytest.param(role, id=f"{name}-{role_name}")
    for name, template in TEMPLATES.items()
    for role_name, role in of_type(template, "AWS::IAM::Role").items()
]


def statements(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for one in node:
            yield from statements(one)
    elif isinstance(node, dict):
        if "Effect" in node:
            yield node
        for one in node.values():
            yield from statements(one)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def rules(template: dict[str, Any], direction: str) -> Iterator[dict[str, Any]]:
    for group in of_type(template, "AWS::EC2::SecurityGroup").values():
        for rule in group["Properties"].get(f"SecurityGroup{direction}", []):
            yield rule.get("Fn::If", [None, rule])[1]
    for one in of_type(template, f"AWS::EC2::SecurityGroup{direction}").values():
        yield one["Properties"]


STATEMENTS = [
    pytest.param(statement, id=f"{name}-{number}")
    for name, template in TEMPLATES.items()
    for number, statement in enumerate(statements(template["Resources"]))
]


def test_the_templates_have_statements_to_look_at():
    assert len(STATEMENTS) == 24


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_names_its_actions_and_resources(statement: dict[str, Any]):
    assert not [action for action in listed(statement["Action"]) if "*" in action]
    if "Principal" not in statement and "*" in listed(statement["Resource"]):
        assert [action for action in listed(statement["Action"]) if has_resources(action)] == []


@cache
def authorization() -> dict[str, Any]:
    """Return what AWS's service authorization reference says, as cfn-lint brings it."""
    file = files("cfnlint") / "data/AdditionalSpecs/Policies.json"
    said: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return said


def has_resources(action: str) -> bool:
    """Return whether an action can be allowed on resources that have a name."""
    service, _, name = action.partition(":")
    return bool(authorization()[service]["Actions"][name.lower()].get("Resources"))


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_for_one_service_and_within_the_boundary(role: dict[str, Any]):
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert list(trust["Principal"]) == ["Service"]
    assert "PermissionsBoundary" in names_in(role["Properties"]["PermissionsBoundary"])


def test_grafana_s_role_is_for_workspaces_of_the_account_alone():
    role = TEMPLATES["monitoring"]["Resources"]["GrafanaRole"]["Properties"]
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}


@pytest.mark.parametrize("name", TEMPLATES)
def test_roles_and_policies_can_have_the_path_and_the_prefix_of_an_organisation(name: str):
    for one in of_type(
        TEMPLATES[name], "AWS::IAM::Role", "AWS::IAM::ManagedPolicy", "AWS::IAM::InstanceProfile"
    ).values():
        assert {"IamPath", "IamNamePrefix"} <= set(names_in(one["Properties"]))


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_is_open_to_the_world(name: str):
    for rule in rules(TEMPLATES[name], "Ingress"):
        assert str(rule.get("CidrIp", rule.get("CidrIpv6"))) not in EVERYWHERE


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_goes_out_to_the_world_goes_to_one_port(name: str):
    for rule in rules(TEMPLATES[name], "Egress"):
        if str(rule.get("CidrIp")) in EVERYWHERE:
            assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 443, 443)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_security_group_has_rules_for_what_goes_out(name: str):
    # Without any, EC2 adds one that lets everything out.
    template = TEMPLATES[name]
    apart = {group for one in of_type(template, "AWS::EC2::SecurityGroupEgress").values()
             for group in names_in(one["Properties"]["GroupId"])}  # fmt: skip
    groups = of_type(template, "AWS::EC2::SecurityGroup")
    assert [
        group for group in groups if group not in apart and not groups[group]["Properties"].get("SecurityGroupEgress")
    ] == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_rule_says_what_it_is_for(name: str):
    assert all(rule.get("Description") for way in ("Ingress", "Egress") for rule in rules(TEMPLATES[name], way))


# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
@pytest.mark.parametrize(("name", "group"), [("network", "ComputeNodeSecurityGroup"), ("vpc-one-az", "SecurityGroup")])
def test_the_group_of_efa_admits_itself_in_both_directions(name: str, group: str):
    itself = {"Fn::GetAtt": [group, "GroupId"]}
    for direction, end in (("Ingress", "Source"), ("Egress", "Destination")):
        found = [
            one["Properties"]["IpProtocol"]
            for one in of_type(TEMPLATES[name], f"AWS::EC2::SecurityGroup{direction}").values()
            if one["Properties"]["GroupId"] == itself == one["Properties"].get(f"{end}SecurityGroupId")
        ]
        assert found == ["-1"]


def test_the_instance_is_encrypted_and_answers_version_2_of_its_metadata_alone():
    (instance,) = of_type(TEMPLATES["monitoring"], "AWS::EC2::Instance").values()
    assert instance["Properties"]["MetadataOptions"]["HttpTokens"] == "required"
    assert all(device["Ebs"]["Encrypted"] is True for device in instance["Properties"]["BlockDeviceMappings"])


def test_the_password_is_generated_and_in_no_template():
    (secret,) = of_type(TEMPLATES["monitoring"], "AWS::SecretsManager::Secret").values()
    assert secret["Properties"]["GenerateSecretString"]["PasswordLength"] >= 32
    assert not [name for one in TEMPLATES.values() for name in one["Parameters"] if "password" in name.lower()]


def test_no_load_balancer_speaks_plainly():
    (listener,) = of_type(TEMPLATES["monitoring"], "AWS::ElasticLoadBalancingV2::Listener").values()
    assert listener["Properties"]["Protocol"] == "HTTPS"
    assert listener["Condition"] == "HasLoadBalancer"
    # https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
    assert "TLS13" in listener["Properties"]["SslPolicy"]


def test_nobody_reaches_the_instance_but_the_load_balancer_and_the_head_node():
    group = TEMPLATES["network"]["Resources"]["MonitoringSecurityGroup"]["Properties"]
    ways = [rule.get("Fn::If", [None, rule])[1] for rule in group["SecurityGroupIngress"]]
    sources = {rule["FromPort"]: rule.get("SourceSecurityGroupId", rule.get("CidrIp")) for rule in ways}
    assert sources == {
        3000: {"Fn::GetAtt": ["LoadBalancerSecurityGroup", "GroupId"]},
        9090: {"Fn::GetAtt": ["HeadNodeSecurityGroup", "GroupId"]},
        22: {"Ref": "AllowedIPsForMonitoringSSH"},
    }


def test_data_stays_when_its_stack_goes():
    kept = of_type(TEMPLATES["storage"], "AWS::FSx::FileSystem")
    assert len(kept) == 4
    kept |= of_type(TEMPLATES["monitoring"], "AWS::APS::Workspace")
    assert len(kept) == 5
    assert {(one["DeletionPolicy"], one["UpdateReplacePolicy"]) for one in kept.values()} == {
        ("RetainExceptOnCreate", "Retain")
    }
