"""Dynamic references: values of properties that are kept elsewhere, ``{{resolve:secretsmanager:…}}`` and its like.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
"""

from __future__ import annotations

import json
import re
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.resource import Aws

_REFERENCE = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^}]+)\}\}")
_SECRET = re.compile(r"(?P<id>arn:[^:]+:[^:]+:[^:]*:[^:]*:secret:[^:]+|[^:]+)(:SecretString(:(?P<key>[^:]*))?.*)?")


def followed(value: Any, aws: Aws) -> Any:
    """Return properties with every reference in them replaced by what it names."""
    if isinstance(value, dict):
        return {name: followed(item, aws) for name, item in value.items()}
    if isinstance(value, list):
        return [followed(item, aws) for item in value]
    if not isinstance(value, str) or "{{resolve:" not in value:
        return value
    return _REFERENCE.sub(lambda match: _looked_up(match[1], match[2], aws), value)


def _looked_up(service: str, name: str, aws: Aws) -> str:
    try:
        return _secret(name, aws) if service == "secretsmanager" else _parameter(name, aws)
    except (ClientError, KeyError, ValueError) as error:
        raise InvalidError(f"Could not resolve the dynamic reference to {name} in {service}") from error


def _parameter(name: str, aws: Aws) -> str:
    answer = aws.client("ssm").get_parameter(Name=name, WithDecryption=True)
    return str(answer["Parameter"]["Value"])


def _secret(name: str, aws: Aws) -> str:
    match = _SECRET.fullmatch(name)
    if match is None:
        raise ValueError(name)
    value = str(aws.client("secretsmanager").get_secret_value(SecretId=match["id"])["SecretString"])
    return str(json.loads(value)[match["key"]]) if match["key"] else value
