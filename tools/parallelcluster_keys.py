"""Makes src/trainyard/catalog/parallelcluster_keys.json from the schemas of the locked versions of ParallelCluster.

Names, types and values of its keys, no texts. Their environments are made on first use:

    python tools/parallelcluster_keys.py 2026-11-23

``--schema`` is for the interpreters of these environments: it prints the keys of one version.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src" / "trainyard" / "catalog" / "parallelcluster_keys.json"
URL = "https://pypi.org/project/aws-parallelcluster/{version}/"
TOP = "Cluster"
_TYPES = {
    "String": "string", "Integer": "integer", "Boolean": "boolean", "Float": "number", "Dict": "mapping", "Raw": "any",
}  # fmt: skip


def schema_kinds() -> dict[str, dict[str, Any]]:
    """Return the keys of each kind of mapping that this version of ParallelCluster can load."""
    from pcluster.schemas.cluster_schema import ClusterSchema  # type: ignore[import-not-found]  # noqa: PLC0415

    kinds: dict[str, dict[str, Any]] = {}
    ahead = [ClusterSchema(cluster_name="any")]
    while ahead:
        schema = ahead.pop()
        name = _kind(schema)
        if name not in kinds:
            keys = {field.data_key or key: field for key, field in schema.load_fields.items()}
            kinds[name] = {key: _shape(field) for key, field in sorted(keys.items())}
            ahead.extend(inner.schema for field in keys.values() if hasattr(inner := _inner(field), "schema"))
    kinds["Script"] = next(keys for name, keys in kinds.items() if "CustomActionScript" in name)
    return {name: kind for name, kind in kinds.items() if "CustomActionScript" not in name}


def _kind(schema: Any) -> str:
    """Return a name of its own for a schema: two modules have an ImdsSchema each."""
    name = str(type(schema).__name__).removesuffix("Schema")
    return name if type(schema).__module__.endswith("cluster_schema") else f"Common{name}"


def _inner(field: Any) -> Any:
    while hasattr(field, "inner"):
        field = field.inner
    return field


def _shape(field: Any) -> dict[str, Any]:
    inner = _inner(field)
    name = type(inner).__name__
    is_scripts = name == "OneOrManyCustomActionField"
    shape: dict[str, Any] = {"type": "scripts" if is_scripts else _TYPES.get(name) or _kind(inner.schema)}
    if inner is not field or getattr(field, "many", False):
        shape["list"] = True
    if field.required:
        shape["required"] = True
    if field.allow_none:
        shape["null"] = True
    for validator in field.validators:
        if hasattr(validator, "choices"):
            shape["values"] = list(validator.choices)
        elif type(validator).__name__ == "Range":
            bounds = {"least": validator.min, "most": validator.max}
            shape.update({key: bound for key, bound in bounds.items() if bound is not None})
    return shape


def merged(of_versions: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the keys of all versions as the newest that has them knows them; ``in`` names lines where not all do."""
    kinds: dict[str, dict[str, Any]] = {}
    having: dict[tuple[str, str], list[str]] = {}
    for version, own in of_versions.items():  # the oldest first
        line = ".".join(version.split(".")[:2])
        for name, keys in own.items():
            kinds.setdefault(name, {})
            for key, shape in keys.items():
                kinds[name][key] = shape
                having.setdefault((name, key), []).append(line)
    for (name, key), lines in having.items():
        if len(lines) < len(of_versions):
            kinds[name][key] = {**kinds[name][key], "in": lines}
    return {name: dict(sorted(keys.items())) for name, keys in sorted(kinds.items())}


def keys_text(of_versions: dict[str, dict[str, dict[str, Any]]], read: str) -> str:
    """Return the text of the data file, one kind a line."""
    sources = {
        f"aws-parallelcluster-{version}": {
            "what": f"aws-parallelcluster {version} from PyPI: pcluster/schemas/cluster_schema.py",
            "url": URL.format(version=version),
            "read": read,
        }
        for version in of_versions
    }
    kinds = ",\n".join(f"  {json.dumps(name)}: {json.dumps(keys)}" for name, keys in merged(of_versions).items())
    return f'{{"sources": {json.dumps(sources)},\n "kinds": {{\n{kinds}\n}}}}\n'


def main() -> None:
    """Write the data file, or print the keys of the version that this interpreter has."""
    if sys.argv[1] == "--schema":
        print(json.dumps(schema_kinds()))
        return
    from trainyard.edge.pcluster import environment, known_versions  # noqa: PLC0415  not there for --schema

    interpreters = {version: environment(version, print).python for version in known_versions()}
    of_versions = {
        version: json.loads(subprocess.check_output([python, "-I", __file__, "--schema"], text=True))
        for version, python in interpreters.items()
    }
    TARGET.write_text(keys_text(of_versions, sys.argv[1]), encoding="utf-8")


if __name__ == "__main__":
    main()
