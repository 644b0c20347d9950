"""Our CRDs describe pods in one line; beside that they hold all that the operators' own do, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.strictly import crd

HERE = Path(__file__).parent
TYPES = {
    "PyTorchJob": ("KubeflowOrgV1PyTorchJobSpec", "kubeflow_training_types.json"),
    "MPIJob": ("MPIJobSpec", "mpi_operator_types.json"),
    "JobSet": ("JobSetSpec", "jobset_types.json"),
}
# What each word of a type is called in a schema.
WORDS = {"int": "integer", "str": "string", "bool": "boolean"}
# Described elsewhere, so taken as they come.
FREE = ("V1PodTemplateSpec", "V1JobTemplateSpec", "V1PersistentVolumeClaim", "K8sIoApiAutoscalingV2MetricSpec")


@pytest.mark.parametrize("kind", TYPES)
def test_every_field_of_the_operators_types_is_in_the_crd_with_its_type_and_no_other_is(kind: str):
    name, file = TYPES[kind]
    types = json.loads((HERE / file).read_text(encoding="utf-8"))["types"]
    (version,) = crd(kind)["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert shape(spec) == expected(name, types)


@pytest.mark.parametrize("kind", TYPES)
def test_what_the_operator_writes_into_the_status_is_kept(kind: str):
    (version,) = crd(kind)["spec"]["versions"]
    assert version["subresources"]["status"] == {}
    assert version["schema"]["openAPIV3Schema"]["properties"]["status"]["x-kubernetes-preserve-unknown-fields"] is True


def shape(schema: dict[str, Any]) -> Any:
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return "free"
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity"
    if schema["type"] == "array":
        return [shape(schema["items"])]
    if schema["type"] != "object":
        return schema["type"]
    if "properties" in schema:
        return {key: shape(member) for key, member in sorted(schema["properties"].items())}
    return {"*": shape(schema["additionalProperties"])}


def expected(name: str, types: dict[str, dict[str, str]]) -> Any:
    if name in FREE:
        return "free"
    if name == "Quantity":
        return "quantity"
    if listed := re.fullmatch(r"list\[(\w+)\]", name):
        return [expected(listed[1], types)]
    if mapped := re.fullmatch(r"dict\(str, (\w+)\)", name):
        return {"*": expected(mapped[1], types)}
    if name in WORDS:
        return WORDS[name]
    return {key: expected(kind, types) for key, kind in sorted(types[name].items())}
