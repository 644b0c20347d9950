"""Finds facts of GPUs by the vendor's name of the model: what code is compiled for, and what their NVSwitches need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.deployment_file import DeploymentFile
from trainyard.catalog.source import merge_facts

GpuFabric = Literal["fabric-manager", "nvlsm"]


def compute_capability(model: str) -> str | None:
    """Return 90 for an H100, or None where the catalog does not know the GPU."""
    return (_file("compute_capabilities").compute_capabilities or {}).get(model)


def gpu_fabric(model: str) -> GpuFabric:
    """Return what brings up the NVSwitches between GPUs of a model."""
    fabrics: Mapping[str, GpuFabric] = _file("gpu_fabrics").gpu_fabrics or {}
    return fabrics.get(model, "fabric-manager")


@cache
def _file(name: str) -> DeploymentFile:
    data = catalog_file.content(catalog_file.FOLDER / f"{name}.yaml")
    facts = merge_facts(data["gpus"], f"catalog/{name}.yaml")
    return deployment_file.validated({"sources": data["sources"], name: facts})
