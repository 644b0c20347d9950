"""Makes src/trainyard/catalog/eksctl_keys.json from eksctl's JSON Schema: names and shapes of its keys, no texts.

Called with the schema, `pkg/apis/eksctl.io/v1alpha5/assets/schema.json` of eksctl, and the date that it is of:

    python tools/eksctl_keys.py schema.json 2026-08-22
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src" / "trainyard" / "catalog" / "eksctl_keys.json"
URL = "https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/assets/schema.json"
TOP = "ClusterConfig"


def eksctl_keys(schema: dict[str, Any], read: str) -> dict[str, Any]:
    """Return the data file: each kind of mapping that a ClusterConfig can hold, with the shape of each key.

    A shape is null for a plain value, ``[]`` for a list of them, ``{}`` for a mapping of anything, and ``true`` where
    nothing is known; otherwise the name of a kind, in a list or a mapping where it stands in one.
    """
    definitions = schema["definitions"]
    kinds: dict[str, dict[str, Any]] = {}
    ahead = [TOP]
    while ahead:
        name = ahead.pop()
        if name not in kinds:
            kinds[name] = {
                key: _shape(one, definitions) for key, one in sorted(definitions[name]["properties"].items())
            }
            ahead.extend(kind for shape in kinds[name].values() for kind in _kinds_in(shape))
    source = {"what": "eksctl, JSON Schema of ClusterConfig", "url": URL, "read": read}
    return {"sources": {"eksctl": source}, "kinds": dict(sorted(kinds.items()))}


def _shape(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if reference := schema.get("$ref"):
        name = reference.removeprefix("#/definitions/")
        definition = definitions[name]
        return name if definition.get("properties") and "oneOf" not in definition else _shape(definition, definitions)
    # Taints of self-managed node groups may also be written as a mapping, which the schema says in words only.
    if "oneOf" in schema or "both map" in schema.get("description", ""):
        return True
    if schema.get("type") == "array":
        items = _shape(schema["items"], definitions)
        return [] if items is None else [items]
    if schema.get("type") == "object":
        members = schema.get("additionalProperties")
        shape = _shape(members, definitions) if isinstance(members, dict) and members else None
        return {} if shape is None else {"*": shape}
    return None if schema.get("type") in ("string", "integer", "number", "boolean") else True


def _kinds_in(shape: Any) -> list[str]:
    if isinstance(shape, str):
        return [shape]
    members = shape.values() if isinstance(shape, dict) else shape if isinstance(shape, list) else ()
    return [kind for member in members for kind in _kinds_in(member)]


def keys_text(schema: dict[str, Any], read: str) -> str:
    """Return the text of the data file, one kind a line."""
    data = eksctl_keys(schema, read)
    kinds = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(keys)}" for kind, keys in data["kinds"].items())
    return f'{{"sources": {json.dumps(data["sources"])},\n "kinds": {{\n{kinds}\n}}}}\n'


if __name__ == "__main__":
    TARGET.write_text(
        keys_text(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2]), encoding="utf-8"
    )
