"""Records what the official SDK of the training operator knows of a PyTorchJob, field by field, without the pods in it.

uv pip install --no-deps --target FOLDER kubeflow-training==1.9.4
python -m tests.platforms.eks.rendering.manifests.record_kubeflow_types FOLDER
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("kubeflow_training_types.json")
ROOT = "KubeflowOrgV1PyTorchJobSpec"


def recorded(folder: Path) -> dict[str, Any]:
    """Return the types that a PyTorchJob is made of, each with its fields."""
    models = {name: fields for file in folder.glob("kubeflow/training/models/*.py") for name, fields in _types(file)}
    (metadata,) = folder.glob("kubeflow_training-*.dist-info")
    return {"package": metadata.name.removesuffix(".dist-info"), "types": dict(_reached(models, ROOT, set()))}


def _types(file: Path) -> Any:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            values = {
                target.id: ast.literal_eval(statement.value)
                for statement in node.body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                if isinstance(target, ast.Name) and target.id in {"openapi_types", "attribute_map"}
            }
            if len(values) == 2:
                names = values["attribute_map"]
                yield node.name, {names[name]: kind for name, kind in values["openapi_types"].items()}


def _reached(models: dict[str, dict[str, str]], name: str, seen: set[str]) -> Any:
    if name in seen or name not in models:
        return
    seen.add(name)
    yield name, models[name]
    for kind in models[name].values():
        for other in re.findall(r"KubeflowOrg\w+", kind):
            yield from _reached(models, other, seen)


if __name__ == "__main__":
    FILE.write_text(json.dumps(recorded(Path(sys.argv[1])), indent=2, sort_keys=True) + "\n", encoding="utf-8")
