"""Templates: YAML or JSON with CloudFormation's short forms, and the limits of their size and shape."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlparse

import yaml
from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
BODY_LIMIT_BYTES = 51_200
URL_LIMIT_BYTES = 1_048_576
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
_SECTIONS = {
    "AWSTemplateFormatVersion",
    "Conditions",
    "Description",
    "Hooks",
    "Mappings",
    "Metadata",
    "Outputs",
    "Parameters",
    "Resources",
    "Rules",
}
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-product-attribute-reference.html
_ATTRIBUTES = {
    "Condition",
    "CreationPolicy",
    "DeletionPolicy",
    "DependsOn",
    "Metadata",
    "Properties",
    "Type",
    "UpdatePolicy",
    "UpdateReplacePolicy",
}


class _Loader(yaml.CSafeLoader):
    """CloudFormation's YAML: short forms of functions, and dates that are text."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # yaml's own class attribute
        first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.SequenceNode):
        value: Any = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        value = loader.construct_scalar(node)  # type: ignore[arg-type]  # the third kind of node
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _short_form)


def check_size(body: str, limit: int) -> None:
    """Refuse a template that is too long."""
    size = len(body.encode())
    if size > limit:
        at = "'templateBody'" if limit == BODY_LIMIT_BYTES else "template at 'templateURL'"
        raise InvalidError(
            f"1 validation error detected: Value of {size} bytes at {at} failed to satisfy constraint: "
            f"Member must have length less than or equal to {limit}"
        )


def parse(body: str) -> dict[str, Any]:
    """Return a template. Raises InvalidError where it is none."""
    try:
        template = json.loads(body) if body.lstrip().startswith("{") else yaml.load(body, _Loader)  # noqa: S506  # a safe loader
    except (ValueError, yaml.YAMLError) as error:
        raise InvalidError(f"Template format error: {' '.join(str(error).split())}") from error
    if not isinstance(template, dict):
        raise InvalidError("Template format error: unsupported structure.")
    if unknown := sorted(set(template) - _SECTIONS - {"Transform"}):
        raise InvalidError(f"Invalid template property or properties [{', '.join(unknown)}]")
    if ignored := [section for section in ("Hooks", "Transform") if section in template]:
        raise InvalidError(f"Template format error: the emulated account runs no {ignored[0]}")
    _check_resources(template.get("Resources"))
    return template


def _check_resources(resources: Any) -> None:
    if not resources or not isinstance(resources, dict):
        raise InvalidError("Template format error: At least one Resources member must be defined.")
    for name, resource in resources.items():
        if not str(name).isalnum():
            raise InvalidError(f"Template format error: Resource name {name} is non alphanumeric.")
        if not isinstance(resource, dict) or not isinstance(resource.get("Type"), str):
            raise InvalidError(
                f"Template format error: [/Resources/{name}] Every Resources object must contain a Type member."
            )
        if unknown := sorted(set(resource) - _ATTRIBUTES):
            raise InvalidError(f"Invalid template resource property '{unknown[0]}' ({name})")


def body_of(body: str | None, url: str | None, aws: InProcessAccount) -> str:
    """Return the text of the template. Raises InvalidError where there is none, two, or one that is too long."""
    if bool(body) == bool(url):
        raise InvalidError("Either Template URL or Template Body must be specified.")
    if body:
        check_size(body, BODY_LIMIT_BYTES)
        return body
    text = on_s3(url or "", aws)
    check_size(text, URL_LIMIT_BYTES)
    return text


def on_s3(url: str, aws: InProcessAccount) -> str:
    """Return an object's text by its URL, with the bucket as host or as path.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
    """
    parts = urlparse(url)
    host, path = parts.hostname or "", unquote(parts.path.lstrip("/"))
    if host.startswith(("s3.", "s3-")) or not host.endswith(("amazonaws.com", "amazonaws.com.cn")):
        bucket, _, key = path.partition("/")
    else:
        bucket, key = host.split(".s3")[0], path
    try:
        return str(aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode())
    except ClientError as error:
        raise InvalidError(f"S3 error: {error.response['Error']['Message']} ({url})") from error
