"""Writes what CustomResourceDefinitions say of resources into the catalog, without words and schemas of pods.

    python tools/custom_resource_schemas.py FOLDER

FOLDER has a clone of each repository of tools/custom_resources.yaml, below its name with "+" for "/". The place of a
whole pod is marked, for that is Kubernetes' own.
"""

from __future__ import annotations

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
