"""Holds parameters against botocore's model of an API, with the enums and patterns that its validator ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import botocore.session
from botocore.validate import ParamValidator

# Members whose keys are the user's own, and not those of the API.
_FREE = {"Options", "Tags", "Parameters"}


def problems(service: str, operation: str, parameters: dict[str, Any]) -> list[str]:
    """Return what the model objects to."""
    model = botocore.session.get_session().get_service_model(service)
    shape = model.operation_model(operation).input_shape
    report = str(ParamValidator().validate(parameters, shape).generate_report())
    return [*report.splitlines(), *_beyond(shape, parameters, "")]


def as_api(node: Any, *, free: bool = False) -> Any:
    """Return properties of CloudFormation with the names that the API of Batch has for them."""
    if isinstance(node, list):
        return [as_api(one, free=free) for one in node]
    if not isinstance(node, dict):
        return node
    return {(key if free else key[0].lower() + key[1:]): as_api(one, free=key in _FREE) for key, one in node.items()}


def _beyond(shape: Any, value: Any, path: str) -> Iterator[str]:
    if shape.type_name == "structure" and isinstance(value, dict):
        for name, one in value.items():
            if name in shape.members:
                yield from _beyond(shape.members[name], one, f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(value, list):
        for number, one in enumerate(value):
            yield from _beyond(shape.member, one, f"{path}[{number}]")
    elif shape.type_name == "string" and isinstance(value, str):
        if shape.enum and value not in shape.enum:
            yield f"{path}: {value!r} is none of {shape.enum}"
        pattern = shape.metadata.get("pattern")
        if pattern is not None and not re.fullmatch(pattern, value):
            yield f"{path}: {value!r} does not match {pattern}"
