"""What Kubernetes would object to in a manifest, with kubernetes-validate and the CRDs of the manifests themselves."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
from kubernetes_validate.utils import schema_contents
from referencing import Registry, Resource

from trainyard.catalog.kubernetes_versions import find_version, known_versions
from trainyard.platforms.eks.rendering.manifests import documents, native

# The day on which the catalog was read: what EKS had stopped to support by then is not asked for.
_READ = "2026-11-22"
VERSIONS = tuple(name for name in known_versions() if (found := find_version(name)) and found.extended_until > _READ)
"""Versions that EKS supports."""
_CRDS = ("mpi-operator.yaml", "training-operator.yaml", "jobset.yaml")


def problems(document: dict[str, Any], version: str) -> list[str]:
    """Return what is wrong with a document; unknown keys are."""
    if document["apiVersion"].startswith(("kubeflow.org/", "jobset.x-k8s.io/")):
        return list(_of_job(document, version))
    return list(_told(_kubernetes(version, document["apiVersion"], document["kind"]), document))


@cache
def _kubernetes(version: str, api_version: str, kind: str) -> jsonschema.Draft202012Validator:
    """Return what ``kubernetes_validate.validate(..., strict=True)`` makes anew for every document."""
    group = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    schema = schema_contents(f"{_folder(version)}/{kind.lower()}-{group}.json", version)
    return jsonschema.Draft202012Validator(schema, registry=Resource.from_contents(schema) @ _definitions(version))


@cache
def _definitions(version: str) -> Registry:
    contents = schema_contents(f"{_folder(version)}/_definitions.json", version)
    return (Resource.from_contents(contents) @ Registry()).crawl()


def _folder(version: str) -> str:
    return f"kubernetes-json-schema/v{version}.0-local-strict"


def _told(validator: Any, document: dict[str, Any]) -> Iterator[str]:
    for error in validator.iter_errors(document):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"


@cache
def crd(kind: str) -> dict[str, Any]:
    """Return the CRD of a kind of jobs."""
    found = (one for name in _CRDS for one in documents(native(name)) if one["kind"] == "CustomResourceDefinition")
    return next(one for one in found if one["spec"]["names"]["kind"] == kind)


def pods(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the templates of pods in a document."""
    spec = document.get("spec", {})
    if "template" in spec:
        yield spec["template"]
    for replicas in ("mpiReplicaSpecs", "pytorchReplicaSpecs"):
        yield from (one["template"] for one in spec.get(replicas, {}).values())
    yield from (one["template"]["spec"]["template"] for one in spec.get("replicatedJobs", ()))


def containers(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all containers of a document."""
    for pod in pods(document):
        yield from pod["spec"].get("initContainers", ())
        yield from pod["spec"]["containers"]


def _of_job(document: dict[str, Any], version: str) -> Iterator[str]:
    described = crd(document["kind"])
    (served,) = described["spec"]["versions"]
    if document["apiVersion"] != f"{described['spec']['group']}/{served['name']}":
        yield f"apiVersion: {document['apiVersion']} is not served"
    yield from _told(_validator(document["kind"]), document)
    for pod in pods(document):
        yield from problems({"apiVersion": "v1", "kind": "PodTemplate", "template": pod}, version)
    for one in document["spec"].get("replicatedJobs", ()):
        yield from problems({"apiVersion": "batch/v1", "kind": "Job", **one["template"]}, version)


@cache
def _validator(kind: str) -> jsonschema.Draft7Validator:
    (served,) = crd(kind)["spec"]["versions"]
    return jsonschema.Draft7Validator(_closed(copy.deepcopy(served["schema"]["openAPIV3Schema"])))


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that refuses unknown keys where Kubernetes would not keep them."""
    if "properties" in schema and "x-kubernetes-preserve-unknown-fields" not in schema:
        schema["additionalProperties"] = False
    for member in schema.get("properties", {}).values():
        _closed(member)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            _closed(schema[key])
    if schema.get("x-kubernetes-int-or-string"):
        schema["type"] = ["integer", "string"]
    return schema
