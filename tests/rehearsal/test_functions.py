"""Intrinsic functions of templates, without an account."""

from __future__ import annotations

from typing import Any, cast

import pytest

from trainyard.rehearsal.emulated.engine.functions import condition, resolve
from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.engine.scope import Scope
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import PhysicalResource

_TEMPLATE = {
    "Conditions": {
        "Yes": {"Fn::Equals": [{"Ref": "P"}, "p"]},
        "No": {"Fn::Not": [{"Condition": "Yes"}]},
        "Both": {"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]},
        "Either": {"Fn::Or": [{"Condition": "Yes"}, {"Condition": "No"}]},
        "Flag": {"Fn::Equals": [True, "true"]},
    },
    "Mappings": {"Sizes": {"us-east-2": {"small": "s"}}},
}


def scope() -> Scope:
    made = {"Vpc": PhysicalResource("vpc-1", {"CidrBlock": "10.0.0.0/16", "Outputs.Id": "nested"})}
    parameters = {"P": "p", "List": ["a", "b"]}
    aws = InProcessAccount("us-east-2", "123456789012")
    return Scope(_TEMPLATE, parameters, made, {"shared": "value"}, "stack", "arn:stack", aws)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"Ref": "P"}, "p"),
        ({"Ref": "Vpc"}, "vpc-1"),
        ({"Ref": "AWS::Region"}, "us-east-2"),
        ({"Ref": "AWS::StackName"}, "stack"),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "10.0.0.0/16"),
        ({"Fn::GetAtt": "Vpc.Outputs.Id"}, "nested"),
        ({"Fn::Sub": "${P}-${Vpc}-${Vpc.CidrBlock}-${!P}-$P"}, "p-vpc-1-10.0.0.0/16-${P}-$P"),
        ({"Fn::Sub": ["${A}${P}", {"A": {"Ref": "P"}}]}, "pp"),
        ({"Fn::Join": ["-", ["a", {"Ref": "P"}]]}, "a-p"),
        ({"Fn::Select": ["1", {"Ref": "List"}]}, "b"),
        ({"Fn::Split": ["/", "a/b"]}, ["a", "b"]),
        ({"Fn::Cidr": ["10.0.0.0/16", 2, "8"]}, ["10.0.0.0/24", "10.0.1.0/24"]),
        ({"Fn::Cidr": [{"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "1", 12]}, ["10.0.0.0/20"]),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "small"]}, "s"),
        ({"Fn::FindInMap": ["Sizes", "x", "y", {"DefaultValue": "d"}]}, "d"),
        ({"Fn::If": ["Yes", 1, {"Ref": "Nobody"}]}, 1),
        ({"a": {"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]}, "b": 2}, {"b": 2}),
        ([1, {"Ref": "AWS::NoValue"}], [1]),
        ({"Fn::Base64": "x"}, "eA=="),
        ({"Fn::ImportValue": {"Fn::Sub": "shared"}}, "value"),
        ({"Fn::ToJsonString": {"a": {"Ref": "P"}}}, '{"a": "p"}'),
        ({"Fn::Length": {"Ref": "List"}}, 2),
    ],
    ids=str,
)
def test_a_function_gives_what_aws_gives(written, value):
    assert resolve(written, scope()) == value


@pytest.mark.parametrize(
    ("name", "holds"), [("Yes", True), ("No", False), ("Both", False), ("Either", True), ("Flag", True)]
)
def test_a_condition_holds_or_not(name, holds):
    assert condition(name, scope()) is holds


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"Ref": "Nobody"}, "Unresolved resource dependencies [Nobody]"),
        ({"Fn::GetAtt": ["Nobody", "Arn"]}, "references undefined resource Nobody"),
        ({"Fn::GetAtt": ["Vpc", "Arn"]}, "does not support attribute type Arn"),
        ({"Fn::Select": [5, ["a"]]}, "cannot select nonexistent value at index 5"),
        ({"Fn::Cidr": ["10.0.0.0/24", 4, 8]}, "cannot make 4 blocks of 8 host bits in 10.0.0.0/24"),
        ({"Fn::Cidr": ["10.0.0.0/24", 1, 12]}, "cannot make 1 blocks of 12 host bits in 10.0.0.0/24"),
        ({"Fn::FindInMap": ["Sizes", "x", "y"]}, "Unable to get mapping for Sizes::x::y"),
        ({"Fn::If": ["Yes", 1]}, "Fn::If cannot take"),
        ({"Fn::If": ["Nobody", 1, 2]}, "Unresolved condition dependency Nobody"),
        ({"Fn::ImportValue": "nothing"}, "No export named nothing found."),
        ({"Fn::Transform": {"Name": "AWS::Include"}}, "does not know Fn::Transform"),
    ],
    ids=str,
)
def test_a_function_that_cannot_be_resolved_says_why(written, message):
    with pytest.raises(InvalidError) as error:
        resolve(written, scope())
    assert message in cast("Any", error.value).message


def test_an_export_that_is_used_is_remembered():
    seen = scope()
    resolve({"Fn::ImportValue": "shared"}, seen)
    assert seen.used_exports == {"shared"}
