"""Short ways to make, change and delete stacks in an emulated account, and to see what became of them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.request import urlopen

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
VPC: dict[str, Any] = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.7.0.0/16"}}
SUBNET: dict[str, Any] = {
    "Type": "AWS::EC2::Subnet",
    "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.7.1.0/24", "AvailabilityZone": "us-east-2a"},
}
GROUP: dict[str, Any] = {
    "Type": "AWS::EC2::SecurityGroup",
    "Properties": {"GroupDescription": "a group", "VpcId": {"Ref": "Vpc"}},
}
UNKNOWN: dict[str, Any] = {"Type": "AWS::Foo::Bar", "DependsOn": "Vpc"}


def some_name() -> str:
    """Return a name that no other test has."""
    return f"t{uuid.uuid4().hex[:10]}"


def body(resources: Mapping[str, Any], **sections: Any) -> str:
    """Return a template."""
    return json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources, **sections})


def parameters(values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return parameters as calls take them."""
    return [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]


def create(account: Account, resources: Mapping[str, Any], *, name: str = "", sections: Any = None, **more: Any) -> Any:
    """Make a stack and return how it is described once it is done."""
    client = account.client("cloudformation")
    more.setdefault("Capabilities", ["CAPABILITY_NAMED_IAM"])
    made = client.create_stack(StackName=name or some_name(), TemplateBody=body(resources, **(sections or {})), **more)
    return settled(account, made["StackId"])


def update(account: Account, stack: Any, resources: Mapping[str, Any], *, sections: Any = None, **more: Any) -> Any:
    """Change a stack and return how it is described once it is done."""
    client = account.client("cloudformation")
    client.update_stack(
        StackName=stack["StackName"],
        TemplateBody=body(resources, **(sections or {})),
        Capabilities=["CAPABILITY_NAMED_IAM"],
        **more,
    )
    return settled(account, stack["StackId"])


def delete(account: Account, stack: Any, **more: Any) -> Any:
    """Delete a stack and return how it is described once that is done."""
    account.client("cloudformation").delete_stack(StackName=stack["StackId"], **more)
    return settled(account, stack["StackId"])


def settled(account: Account, name: str) -> Any:
    """Return a stack as it is in the end. It is in progress at the first look, as in AWS."""
    client = account.client("cloudformation")
    first = client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    assert first.endswith("_IN_PROGRESS"), first
    return client.describe_stacks(StackName=name)["Stacks"][0]


def events(account: Account, stack: Any) -> list[tuple[str, str, str]]:
    """Return logical id, status and reason of everything that happened, in order."""
    pages = account.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack["StackId"])
    newest_first = [event for page in pages for event in page["StackEvents"]]
    return [
        (one["LogicalResourceId"], one["ResourceStatus"], one.get("ResourceStatusReason", ""))
        for one in reversed(newest_first)
    ]


def why(account: Account, stack: Any) -> str:
    """Return the reason of the first failure."""
    return next(reason for _, status, reason in events(account, stack) if status.endswith("_FAILED"))


def outputs(stack: Any) -> dict[str, str]:
    """Return the outputs of a described stack."""
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def physical_id(account: Account, stack: Any, logical_id: str) -> str:
    """Return the id of a resource of a stack."""
    answer = account.client("cloudformation").describe_stack_resource(
        StackName=stack["StackId"], LogicalResourceId=logical_id
    )
    return str(answer["StackResourceDetail"]["PhysicalResourceId"])


def refusal(call: Any, **asked: Any) -> tuple[str, str]:
    """Return code and message with which a call is refused."""
    try:
        call(**asked)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError("nothing was refused")


def inventory(account: Account) -> dict[str, list[str]]:
    """Return everything that exists in the account."""
    with urlopen(f"{account.endpoint}/trainyard/inventory") as answer:
        found: dict[str, list[str]] = json.load(answer)
    return found


def settled_child(account: Account, name: str) -> Any:
    """Return a nested stack, which is seen through its parent and needs no second look."""
    return account.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
