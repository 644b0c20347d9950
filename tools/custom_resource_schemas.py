"""Writes what CustomResourceDefinitions say of resources into the catalog, without words and schemas of pods.

    python tools/custom_resource_schemas.py FOLDER

FOLDER has a clone of each repository of tools/custom_resources.yaml, below its name with "+" for "/". The place of a
whole pod is marked, for that is Kubernetes' own.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
SOURCES = Path(__file__).with_name("custom_resources.yaml")
TARGET = ROOT / "src" / "trainyard" / "catalog" / "custom_resources.json"
POD = {"$ref": "pod"}
MODEL = "x-model"
"""Marks a kind whose schema is that of a client and not of the operator."""
_PLAIN = {"str": "string", "int": "integer", "bool": "boolean", "float": "number"}
_KEPT = frozenset((
    "type", "required", "enum", "pattern", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength",
    "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
))  # fmt: skip
_SCHEMAS = ("items", "additionalProperties", "not")
_LISTS = ("anyOf", "oneOf", "allOf")
_OF_PODS = frozenset(("containers", "initContainers", "volumes", "nodeSelector", "tolerations"))


def main() -> None:
    """Read every definition and write the file."""
    folder = Path(sys.argv[1])
    sources = yaml.safe_load(SOURCES.read_text(encoding="utf-8"))
    kinds: dict[str, Any] = {}
    for source in sources:
        for path in source["paths"]:
            kinds |= _kinds(_text(folder / source["repository"].replace("/", "+"), source["commit"], path))
        for model in source.get("models", ()):
            text = _text(folder / source["repository"].replace("/", "+"), source["commit"], model["path"])
            kinds[model["kind"]] = _kind_of_model(text, model["class"])
    written = {
        source["repository"]: {
            "what": f"{source['repository']}, CustomResourceDefinitions, of {source['date']}",
            "url": f"https://github.com/{source['repository']}/tree/{source['commit']}",
            "read": str(source["read"]),
        }
        for source in sources
    }
    content = {"sources": written, "kinds": dict(sorted(kinds.items()))}
    TARGET.write_text(json.dumps(content, default=str, separators=(",", ":")) + "\n", encoding="utf-8")


def _text(clone: Path, commit: str, path: str) -> str:
    git = "repo" if (clone / "repo").is_dir() else "."
    words = ["git", "-C", str(clone / git), "show", f"{commit}:{path}"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def _kinds(text: str) -> dict[str, Any]:
    found = {}
    for document in yaml.safe_load_all(text):
        if document and document["kind"] == "CustomResourceDefinition":
            spec = document["spec"]
            for version in spec["versions"]:
                schema = version["schema"]["openAPIV3Schema"]
                schema["properties"].pop("status", None)
                found[f"{spec['group']}/{version['name']} {spec['names']['kind']}"] = _slim(schema)
    return found


def _kind_of_model(text: str, name: str) -> dict[str, Any]:
    """Return the schema of a kind whose spec is a class of pydantic. Its operator may know more keys than the class."""
    classes = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    plain = {key: {"type": "string"} for key in ("apiVersion", "kind")}
    properties = plain | {"metadata": {"type": "object"}, "spec": _class_schema(name, classes)}
    return {"type": "object", "required": ["spec"], "properties": properties, MODEL: True}


def _class_schema(name: str, classes: dict[str, ast.ClassDef]) -> dict[str, Any]:
    fields = [node for node in classes[name].body if isinstance(node, ast.AnnAssign) and node.simple]
    if {node.target.id for node in fields if isinstance(node.target, ast.Name)} >= _OF_PODS:
        return POD
    properties, required = {}, []
    for node in fields:
        key, annotation = ast.unparse(node.target), ast.unparse(node.annotation)
        properties[key] = _type_schema(node.annotation, classes)
        given = node.value.keywords if isinstance(node.value, ast.Call) else ()
        if not annotation.startswith("Optional") and all(word.arg != "default" for word in given):
            required.append(key)
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _type_schema(annotation: ast.expr, classes: dict[str, ast.ClassDef]) -> dict[str, Any]:
    if isinstance(annotation, ast.Name):
        name = annotation.id
        return {"type": _PLAIN[name]} if name in _PLAIN else _class_schema(name, classes)
    assert isinstance(annotation, ast.Subscript)  # noqa: S101  nothing else is in these classes
    outer, inner = ast.unparse(annotation.value), annotation.slice
    if outer == "Optional":
        return _type_schema(inner, classes)
    if outer == "List":
        return {"type": "array", "items": _type_schema(inner, classes)}
    if outer == "Dict":
        assert isinstance(inner, ast.Tuple)  # noqa: S101  as above
        return {"type": "object", "additionalProperties": _type_schema(inner.elts[1], classes)}
    return {"x-kubernetes-int-or-string": True}


def _slim(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties", {})
    if properties.keys() >= _OF_PODS and "containers" in schema.get("required", ()):
        return POD
    slim = {key: value for key, value in schema.items() if key in _KEPT}
    if properties:
        slim["properties"] = {name: _slim(member) for name, member in properties.items()}
    slim |= {key: _slim(schema[key]) for key in _SCHEMAS if key in schema}
    return slim | {key: [_slim(member) for member in schema[key]] for key in _LISTS if key in schema}


if __name__ == "__main__":
    main()
