"""Records what every key of ParallelCluster's configuration says about its update: the policy in its own schema.

Run it with the interpreter of each environment of ParallelCluster that trainyard has made:

    for python in ~/.cache/trainyard/pcluster/*/bin/python; do $python tests/catalog/record_update_policies.py; done

Each adds its own version to golden/parallelcluster-update-policies.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden/parallelcluster-update-policies.json"
PROVENANCE = (
    "aws-parallelcluster of each version from PyPI: the update_policy of every field of ClusterSchema, "
    "read by tests/catalog/record_update_policies.py"
)


def main() -> None:
    """Add what the installed version says."""
    from pcluster.schemas.cluster_schema import ClusterSchema  # type: ignore[import-not-found]  # noqa: PLC0415  another program's environment

    recorded = json.loads(GOLDEN.read_text())["versions"] if GOLDEN.exists() else {}
    recorded[version("aws-parallelcluster")] = dict(sorted(_policies(ClusterSchema(cluster_name="any"), "")))
    versions = ",\n".join(f'    "{name}": {{\n{_lines(recorded[name])}\n    }}' for name in sorted(recorded))
    GOLDEN.write_text(f'{{\n  "provenance": {json.dumps(PROVENANCE)},\n  "versions": {{\n{versions}\n  }}\n}}\n')


def _policies(schema: Any, above: str, key: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield the path and policy of every key of a schema. [] stands for any item of a list.

    The key that tells the items of a list apart has no policy that counts: another name is another item.
    """
    for name, field in schema.fields.items():
        many = "[]" if getattr(field, "many", False) else ""
        path = f"{above}.{field.data_key or name}{many}".lstrip(".")
        policy = field.metadata.get("update_policy")
        if policy is not None:
            yield path, "the item's name" if field.data_key == key else policy.name
        inner = getattr(field, "schema", None)
        if inner is not None:
            yield from _policies(inner, path, field.metadata.get("update_key"))


def _lines(policies: dict[str, str]) -> str:
    return ",\n".join(f"      {json.dumps(path)}: {json.dumps(policy)}" for path, policy in policies.items())


if __name__ == "__main__":
    main()
