"""Requests held against botocore's model of the API, with what its own validation leaves out: enums, patterns, ranges.

https://github.com/boto/botocore/blob/develop/botocore/validate.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from botocore.session import Session
from botocore.validate import ParamValidator
from moto.core.loaders import create_loader


def problems(service: str, action: str, request: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a request, all of it; nothing where it can be answered."""
    shape = _model(service).operation_model(action).input_shape
    if shape is None:
        return []
    report = ParamValidator().validate(dict(request), shape)
    problems_of_types = [report.generate_report()] if report.has_errors() else []
    return [*problems_of_types, *_beyond_types("", request, shape)]


def in_words_of_api(service: str, action: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties of CloudFormation as a request: MinvCpus becomes minvCpus. Keys of maps stay as they are.

    What the request does not know is left out.
    """
    shape = _model(service).operation_model(action).input_shape
    named: dict[str, Any] = _named(properties, shape)
    return named


def _named(value: Any, shape: Any) -> Any:
    if shape.type_name == "list" and isinstance(value, list):
        return [_named(member, shape.member) for member in value]
    if shape.type_name != "structure" or not isinstance(value, dict):
        return value
    by_lower = {name.lower(): name for name in shape.members}
    by_proper_name = {by_lower[name.lower()]: member for name, member in value.items() if name.lower() in by_lower}
    return {name: _named(member, shape.members[name]) for name, member in by_proper_name.items()}


def _beyond_types(place: str, value: Any, shape: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            member = shape.value if shape.type_name == "map" else getattr(shape, "members", {}).get(name)
            if member is not None:
                yield from _beyond_types(f"{place}.{name}".lstrip("."), item, member)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _beyond_types(f"{place}[{index}]", item, shape.member)
    else:
        yield from _of_scalar(place, value, shape)


def _of_scalar(place: str, value: Any, shape: Any) -> Iterator[str]:
    enum, pattern = getattr(shape, "enum", None), shape.metadata.get("pattern")
    if enum and value not in enum:
        yield f"{place}: {value!r} is not one of {', '.join(enum)}"
    if pattern and isinstance(value, str) and re.fullmatch(pattern, value) is None:
        yield f"{place}: {value!r} does not match {pattern}"
    size = len(value) if isinstance(value, str) else value
    if isinstance(size, int | float) and size > shape.metadata.get("max", size):
        yield f"{place}: {value!r} is above {shape.metadata['max']}"


@cache
def _model(service: str) -> Any:
    session = Session()
    session.register_component("data_loader", create_loader())
    return session.get_service_model(service)
