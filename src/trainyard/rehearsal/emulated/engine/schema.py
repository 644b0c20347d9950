"""The properties of resource types, from the schemas of AWS that cfn-lint carries for work offline.

https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.catalog.update_policies import immutable_properties

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": (bool, str),
    "integer": (int, str),
    "number": (int, float, str),
    "object": dict,
    "string": (str, int, float, bool),
}
"""What CloudFormation takes for each type: it turns scalars into what is asked for."""

# Launch templates and capacity reservations: the tags of what is made from them, by its type.
_OF_OTHERS = "TagSpecifications"


@cache
def schema(resource_type: str, region: str) -> Mapping[str, Any] | None:
    """Return the schema of a type; None where the region has no such type."""
    folder = _folder()
    names: Mapping[str, str] = _names(region if (folder / "providers" / f"{region}.json").exists() else "us-east-1")
    if resource_type not in names:
        return None
    body: dict[str, Any] = json.loads((folder / "resources" / f"{names[resource_type]}.json").read_text())
    # Of the configurations of FSx, the schema does not say it; the documentation does.
    immutable = [key.split(".") for key in immutable_properties() if key.startswith(f"{resource_type}.")]
    pointers = [f"/properties/{'/'.join(steps[1:])}" for steps in immutable]
    return {**body, "createOnlyProperties": [*body.get("createOnlyProperties", []), *pointers]}


def problems(properties: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the properties of a resource; empty where nothing is."""
    names = set(properties)
    fixed = [f"{name} is read-only" for name in sorted(names & _read_only(schema))]
    return [*fixed, *_wrong("", properties, schema, schema)]


def coerce_properties(properties: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties with scalars as the schema wants them: CloudFormation takes "8" for 8 and 8 for "8"."""
    whole: dict[str, Any] = _coerced(properties, schema, schema)
    return whole


def needs_replacement(schema: Mapping[str, Any], former: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether a change of properties makes a new resource. It may lie deep: one of ComputeResources, not all."""
    fixed = (str(pointer).split("/")[2:] for pointer in schema.get("createOnlyProperties", []))
    return any(_at(former, steps) != _at(now, steps) for steps in fixed)


def tags_property(schema: Mapping[str, Any]) -> str | None:
    """Return the property that takes the tags of the stack, if the type has one."""
    if schema.get("tagging", {}).get("taggable") is False:
        return None
    name = str(schema.get("tagging", {}).get("tagProperty", "/properties/Tags")).split("/")[2]
    return name if name in schema["properties"] and name != _OF_OTHERS else None


def tags_are_map(schema: Mapping[str, Any], name: str) -> bool:
    """Return whether tags are written as a map, not as a list of Key and Value."""
    return "object" in _kinds(_followed(schema["properties"][name], schema))


def _at(value: Any, steps: list[str]) -> Any:
    """Return what lies at a path, None where nothing does; below a star, of every item."""
    if not steps:
        return value
    if isinstance(value, list):
        return [_at(item, steps[1:] if steps[0] == "*" else steps) for item in value]
    return _at(value.get(steps[0]), steps[1:]) if isinstance(value, dict) else None


def _coerced(value: Any, shape: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    shape = _followed(shape, root)
    if isinstance(value, dict):
        members = shape.get("properties", {})
        return {name: _coerced(item, members.get(name, {}), root) for name, item in value.items()}
    if isinstance(value, list):
        return [_coerced(item, shape.get("items", {}), root) for item in value]
    kinds = _kinds(shape)
    return _scalar(value, kinds[0]) if len(kinds) == 1 else value


def _scalar(value: Any, kind: str) -> Any:
    if kind == "string" and not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "boolean" and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    try:
        return {"integer": int, "number": float}[kind](value) if isinstance(value, str) else value
    except (KeyError, ValueError):
        return value


def _named(pointers: list[str]) -> set[str]:
    return {pointer.split("/")[2] for pointer in pointers}


def _read_only(schema: Mapping[str, Any]) -> set[str]:
    whole = [pointer for pointer in schema.get("readOnlyProperties", []) if pointer.count("/") == 2]
    return _named(whole) - set(schema.get("required", []))


def _wrong(at: str, value: Any, shape: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    shape = _followed(shape, root)
    kinds = _kinds(shape)
    if kinds and not any(isinstance(value, _TYPES[kind]) for kind in kinds if kind in _TYPES):
        yield f"{at or 'properties'}: expected {' or '.join(kinds)}, found {_kind(value)}"
    elif "enum" in shape and str(value) not in {str(allowed) for allowed in shape["enum"]}:
        yield f"{at}: {value!r} is not one of {shape['enum']}"
    elif isinstance(value, dict) and "properties" in shape:
        yield from _wrong_object(at, value, shape, root)
    elif isinstance(value, list) and "items" in shape:
        for index, item in enumerate(value):
            yield from _wrong(f"{at}[{index}]", item, shape["items"], root)


def _wrong_object(
    at: str, value: Mapping[str, Any], shape: Mapping[str, Any], root: Mapping[str, Any]
) -> Iterator[str]:
    members: Mapping[str, Any] = shape["properties"]
    prefix = f"{at}." if at else ""
    if shape.get("additionalProperties") is False and "patternProperties" not in shape:
        yield from (f"extraneous key [{prefix}{name}] is not permitted" for name in sorted(set(value) - set(members)))
    yield from (f"required key [{prefix}{name}] not found" for name in shape.get("required", []) if name not in value)
    for name in sorted(set(value) & set(members)):
        yield from _wrong(prefix + name, value[name], members[name], root)


def _followed(shape: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in shape:
        target: Any = root
        for step in str(shape["$ref"]).removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/")]
        shape = target
    return shape


def _kinds(shape: Mapping[str, Any]) -> list[str]:
    kinds = shape.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _kind(value: Any) -> str:
    names: Mapping[type, str] = {list: "array", dict: "object", str: "string"}
    return names.get(type(value), type(value).__name__)


@cache
def _names(region: str) -> Mapping[str, str]:
    names: Mapping[str, str] = json.loads((_folder() / "providers" / f"{region}.json").read_text())
    return names


@cache
def _folder() -> Path:
    """Return the folder of the schemas without importing cfn-lint, which takes seconds."""
    spec = importlib.util.find_spec("cfnlint")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("cfnlint, which moto[cloudformation] brings")
    return Path(spec.origin).parent / "data" / "schemas"
