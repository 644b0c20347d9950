"""The user data of the monitoring instance, as CloudFormation makes it of the template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from trainyard.render.cloudformation.stacks import template

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:GrafanaPassword-1a2b-AbCdEf"


def user_data(
    bucket: str = "mine", folder: str = "trainyard/llm", region: str = "us-east-2", secret: str = SECRET
) -> str:
    """Return the text, with the values of those parameters."""
    values = {"AWS::Region": region, "S3BucketName": bucket, "AssetsFolder": folder, "GrafanaPassword": secret}
    properties = yaml.safe_load(template("monitoring"))["Resources"]["MonitoringInstance"]["Properties"]
    condition, made, otherwise = properties["UserData"]["Fn::If"]
    assert (condition, otherwise) == ("HasAssets", {"Ref": "AWS::NoValue"})
    separator, parts = made["Fn::Base64"]["Fn::Join"]
    return str(separator.join(_text(part, values) for part in parts))


def _text(part: Any, values: Mapping[str, str]) -> str:
    return values[part["Ref"]] if isinstance(part, dict) else str(part)
