"""Parameters of a stack: what was given against what the template declares.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

_SSM = "AWS::SSM::Parameter::Value<"
_LISTS = ("List<", "CommaDelimitedList")
# How each parameter type that names something of the account is looked up.
_LOOKUPS = {
    "AWS::EC2::AvailabilityZone::Name": ("ec2", "describe_availability_zones", "ZoneNames"),
    "AWS::EC2::Image::Id": ("ec2", "describe_images", "ImageIds"),
    "AWS::EC2::KeyPair::KeyName": ("ec2", "describe_key_pairs", "KeyNames"),
    "AWS::EC2::SecurityGroup::Id": ("ec2", "describe_security_groups", "GroupIds"),
    "AWS::EC2::Subnet::Id": ("ec2", "describe_subnets", "SubnetIds"),
    "AWS::EC2::VPC::Id": ("ec2", "describe_vpcs", "VpcIds"),
    "AWS::EC2::Instance::Id": ("ec2", "describe_instances", "InstanceIds"),
}


def request_values(parameters: list[dict[str, Any]], former: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a request. Raises InvalidError where a former value is asked for that does not exist."""
    values = {}
    for parameter in parameters:
        key = parameter["ParameterKey"]
        if parameter.get("UsePreviousValue"):
            if key not in former:
                raise InvalidError(f"Parameters: [{key}] must have values: there is no previous value")
            values[key] = former[key]
        else:
            values[key] = parameter.get("ParameterValue", "")
    return values


def defaults(template: Mapping[str, Any]) -> dict[str, str]:
    """Return the values that a stack has without being given any, which an update may use again, too."""
    declared: Mapping[str, Any] = template.get("Parameters") or {}
    return {name: _text(body["Default"]) for name, body in declared.items() if "Default" in body}


def check(template: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Refuse unknown parameters, missing ones, and values that the template does not allow."""
    declared: Mapping[str, Any] = template.get("Parameters") or {}
    if unknown := sorted(set(values) - set(declared)):
        raise InvalidError(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    missing = [name for name, body in declared.items() if name not in values and "Default" not in body]
    if missing:
        raise InvalidError(f"Parameters: [{', '.join(missing)}] must have values")
    for name, body in declared.items():
        _check_value(name, body, _text(values.get(name, body.get("Default"))))


def resolve_parameters(template: Mapping[str, Any], values: Mapping[str, str], aws: InProcessAccount) -> dict[str, Any]:
    """Return what Ref gives for each parameter. Raises InvalidError where the account lacks what a value names."""
    declared: Mapping[str, Any] = template.get("Parameters") or {}
    return {
        name: _value(name, str(body.get("Type", "String")), _text(values.get(name, body.get("Default"))), aws)
        for name, body in declared.items()
    }


def _value(name: str, kind: str, text: str, aws: InProcessAccount) -> Any:
    if kind.startswith(_SSM):
        text = _stored(name, text, aws)
        kind = kind.removeprefix(_SSM).removesuffix(">")
    several = kind.startswith(_LISTS)
    items = [item.strip() for item in text.split(",")] if text or not several else []
    if (bare := kind.removeprefix("List<").removesuffix(">")) in _LOOKUPS:
        _look_up(name, bare, items, aws)
    return items if several else text


def _stored(name: str, path: str, aws: InProcessAccount) -> str:
    try:
        return str(aws.client("ssm").get_parameter(Name=path)["Parameter"]["Value"])
    except ClientError as error:
        raise InvalidError(
            f"Unable to fetch parameters [{path}] from parameter store for this account (parameter {name})."
        ) from error


def _look_up(name: str, kind: str, items: list[str], aws: InProcessAccount) -> None:
    service, operation, argument = _LOOKUPS[kind]
    for item in items:
        try:
            getattr(aws.client(service), operation)(**{argument: [item]})
        except ClientError as error:
            raise InvalidError(
                f"Parameter validation failed: parameter value {item} for parameter name {name} does not exist"
            ) from error


def _check_value(name: str, body: Mapping[str, Any], text: str) -> None:
    items = text.split(",") if str(body.get("Type")).startswith(_LISTS) else [text]
    for problem in (_wrong(body, item.strip()) for item in items):
        if problem:
            raise InvalidError(f"Parameter '{name}' {body.get('ConstraintDescription', problem)}")


def _wrong(body: Mapping[str, Any], text: str) -> str:
    """Return what is wrong with one value, if anything is."""
    allowed = [_text(value) for value in body.get("AllowedValues", [])]
    if allowed and text not in allowed:
        return f"must be one of AllowedValues [{', '.join(allowed)}], not {text!r}"
    if "AllowedPattern" in body and not re.fullmatch(body["AllowedPattern"], text):
        return f"must match pattern {body['AllowedPattern']}"
    return _wrong_number(body, text) if "Number" in str(body.get("Type")) else _wrong_length(body, text)


def _wrong_number(body: Mapping[str, Any], text: str) -> str:
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", text):
        return f"must be a number, not {text!r}"
    if float(text) < float(body.get("MinValue", "-inf")):
        return f"must be a number not less than {body['MinValue']}"
    if float(text) > float(body.get("MaxValue", "inf")):
        return f"must be a number not greater than {body['MaxValue']}"
    return ""


def _wrong_length(body: Mapping[str, Any], text: str) -> str:
    if len(text) < int(body.get("MinLength", 0)):
        return f"must contain at least {body['MinLength']} characters"
    if "MaxLength" in body and len(text) > int(body["MaxLength"]):
        return f"must contain at most {body['MaxLength']} characters"
    return ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
