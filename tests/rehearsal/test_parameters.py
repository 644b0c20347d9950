"""Parameters of stacks, right and wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.rehearsal import cloud
from tests.rehearsal.cloud import VPC
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"


def made_with(account: Account, declared: Mapping[str, Any], values: Mapping[str, str]) -> Any:
    ref: Any = {"Ref": "P"}
    items = ref if str(declared["Type"]).startswith(("List", "Comma")) else [ref]
    sections = {"Parameters": {"P": declared}, "Outputs": {"Out": {"Value": {"Fn::Join": ["|", items]}}}}
    return cloud.create(account, {"Vpc": VPC}, sections=sections, Parameters=cloud.parameters(values))


@pytest.mark.parametrize(
    ("declared", "values", "message"),
    [
        ({"Type": "String"}, {}, "Parameters: [P] must have values"),
        ({"Type": "String"}, {"P": "x", "Q": "y"}, "Parameters: [Q] do not exist in the template"),
        ({"Type": "String", "AllowedValues": ["a", "b"]}, {"P": "c"}, "must be one of AllowedValues [a, b], not 'c'"),
        ({"Type": "String", "AllowedPattern": "^[a-z]+$"}, {"P": "A1"}, "must match pattern ^[a-z]+$"),
        (
            {"Type": "String", "AllowedPattern": "x", "ConstraintDescription": "wants an x"},
            {"P": "y"},
            "Parameter 'P' wants an x",
        ),
        ({"Type": "String", "MinLength": 3}, {"P": "ab"}, "must contain at least 3 characters"),
        ({"Type": "String", "MaxLength": 1}, {"P": "ab"}, "must contain at most 1 characters"),
        ({"Type": "Number"}, {"P": "ab"}, "must be a number"),
        ({"Type": "Number", "MinValue": 30}, {"P": "8"}, "must be a number not less than 30"),
        ({"Type": "Number", "MaxValue": 30}, {"P": "31"}, "must be a number not greater than 30"),
        ({"Type": "AWS::EC2::VPC::Id"}, {"P": "vpc-0123456789abcdef0"}, "does not exist"),
        ({"Type": "AWS::EC2::KeyPair::KeyName"}, {"P": "nobody"}, "does not exist"),
        ({"Type": "AWS::SSM::Parameter::Value<String>"}, {"P": "/not/there"}, "Unable to fetch parameters"),
        ({"Type": "String", "Default": "a", "AllowedValues": ["b"]}, {}, "must be one of AllowedValues"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_wrong_value_makes_no_stack(account, declared, values, message):
    client = account.client("cloudformation")
    name = cloud.some_name()
    template = cloud.body({"Vpc": VPC}, Parameters={"P": declared})
    asked = {"StackName": name, "TemplateBody": template, "Parameters": cloud.parameters(values)}
    code, said = cloud.refusal(client.create_stack, **asked)
    assert (code, message in said) == ("ValidationError", True), said
    assert "does not exist" in cloud.refusal(client.describe_stacks, StackName=name)[1]


@pytest.mark.parametrize(
    ("declared", "values", "out"),
    [
        ({"Type": "String", "Default": "d"}, {}, "d"),
        ({"Type": "String", "Default": "d"}, {"P": ""}, ""),
        ({"Type": "Number", "Default": 30}, {}, "30"),
        ({"Type": "CommaDelimitedList"}, {"P": "a, b"}, "a|b"),
        ({"Type": "CommaDelimitedList", "AllowedValues": ["a", "b"]}, {"P": "a,b"}, "a|b"),
        ({"Type": "String", "AllowedValues": [True, False], "Default": True}, {"P": "false"}, "false"),
    ],
    ids=str,
)
def test_a_right_value_is_what_ref_gives(account, declared, values, out):
    stack = made_with(account, declared, values)
    assert cloud.outputs(stack) == {"Out": out}
    cloud.delete(account, stack)


def test_the_latest_image_is_looked_up_among_the_public_parameters(account):
    stack = made_with(account, {"Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>", "Default": _IMAGE}, {})
    assert cloud.outputs(stack)["Out"].startswith("ami-")
    assert stack["Parameters"][0]["ResolvedValue"] == cloud.outputs(stack)["Out"]
    cloud.delete(account, stack)


def test_a_hidden_parameter_is_never_shown(account):
    declared = {"Type": "String", "NoEcho": True}
    stack = cloud.create(
        account,
        {"Vpc": VPC},
        sections={"Parameters": {"P": declared}},
        Parameters=cloud.parameters({"P": "very secret"}),
    )
    assert stack["Parameters"] == [{"ParameterKey": "P", "ParameterValue": "****"}]
    cloud.delete(account, stack)


@pytest.mark.parametrize(
    ("declared", "given", "value"),
    [
        ({}, {"P": "one"}, "one"),
        ({"Default": ""}, {}, ""),
        ({"Default": "two"}, {}, "two"),
        ({"Default": ""}, {"P": "one"}, "one"),
    ],
)
def test_a_former_value_can_be_used_again(account, declared, given, value):
    parameter = {"Type": "String", **declared}
    sections = {"Parameters": {"P": parameter}, "Outputs": {"Out": {"Value": {"Fn::Sub": "is ${P}"}}}}
    stack = cloud.create(account, {"Vpc": VPC}, sections=sections, Parameters=cloud.parameters(given))
    again = [{"ParameterKey": "P", "UsePreviousValue": True}]
    tagged = {**VPC, "Properties": {**VPC["Properties"], "EnableDnsHostnames": True}}
    stack = cloud.update(account, stack, {"Vpc": tagged}, sections=sections, Parameters=again)
    assert (stack["StackStatus"], cloud.outputs(stack)) == ("UPDATE_COMPLETE", {"Out": f"is {value}"})
    cloud.delete(account, stack)


def test_what_was_not_declared_has_no_former_value(account):
    stack = cloud.create(account, {"Vpc": VPC})
    with pytest.raises(ClientError, match="there is no previous value"):
        cloud.update(
            account, stack, {"Vpc": VPC}, sections={"Parameters": {"P": {"Type": "String", "Default": ""}}},
            Parameters=[{"ParameterKey": "P", "UsePreviousValue": True}],
        )  # fmt: skip
    cloud.delete(account, stack)
