"""Makes src/trainyard/catalog/cloudformation_keys.json: what properties the resources of our templates can have.

CloudFormation's own schemas say it, in the form in which the installed cfn-lint has them; names and shapes, no texts.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cfnlint  # type: ignore[import-untyped]  # it has no types
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]  # as above

import trainyard
from trainyard.catalog.cloudformation_keys import PATH

_REGION = "us-east-1"
_URL = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-type-schemas.html"
_SOURCES = Path(trainyard.__file__).parent
_TEMPLATES = ("render/cloudformation/*.yaml", "platforms/*/rendering/*.yaml")
Kinds = dict[str, dict[str, Any]]


def cloudformation_keys() -> str:
    """Return the text of the data file, one kind a line."""
    kinds: Kinds = {}
    for type_ in sorted(_types()):
        schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(_REGION, type_).schema
        _add(kinds, type_, schema, schema.get("definitions", {}))
    what = f"CloudFormation's resource schemas of {_REGION}, as bundled with cfn-lint {version('cfn-lint')}"
    schemas = Path(cfnlint.__file__).parent / "data/schemas/version.json"
    read = json.loads(schemas.read_text(encoding="utf-8"))["schema_date"].partition("T")[0]
    sources = {"resource-schemas": {"what": what, "url": _URL, "read": read}}
    lines = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(keys)}" for kind, keys in sorted(kinds.items()))
    return f'{{"sources": {json.dumps(sources)},\n "kinds": {{\n{lines}\n}}}}\n'


def _types() -> set[str]:
    """Return the types of the resources in all templates of stacks."""
    texts = [file.read_text(encoding="utf-8") for pattern in _TEMPLATES for file in _SOURCES.glob(pattern)]
    return {type_ for text in texts for type_ in re.findall(r"\bType: (AWS::\w+::\w+)\b(?!::|<)", text)}


def _add(kinds: Kinds, kind: str, schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Add a kind of mapping with the shapes of its keys, and those that it holds."""
    type_ = kind.partition(".")[0]
    kinds[kind] = {}
    for key, member in sorted(schema["properties"].items()):
        shape = _shape(member, type_, definitions)
        kinds[kind][key] = shape
        (inner,) = shape if isinstance(shape, list) and shape else (shape,)
        if isinstance(inner, str) and inner not in kinds:
            _add(kinds, inner, definitions[inner.partition(".")[2]], definitions)


def _shape(schema: dict[str, Any], type_: str, definitions: dict[str, Any]) -> Any:
    """Return a shape, as trainyard.catalog.eksctl_keys tells of them."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/definitions/")
        definition = definitions[name]
        return f"{type_}.{name}" if definition.get("properties") else _shape(definition, type_, definitions)
    if schema.get("type") == "array":
        items = _shape(schema.get("items", {}), type_, definitions)
        return [items] if isinstance(items, str) else []
    return None if schema.get("type") in ("string", "integer", "number", "boolean") else True


if __name__ == "__main__":
    PATH.write_text(cloudformation_keys(), encoding="utf-8")
