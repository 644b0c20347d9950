"""Finds what brings up the NVSwitches between the GPUs of a node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.source import merged

GpuFabric = Literal["fabric-manager", "nvlsm"]
_PATH = catalog_file.FOLDER / "gpu_fabrics.yaml"


def gpu_fabric(model: str) -> GpuFabric:
    """Return what the NVSwitches between GPUs of a model need, by the vendor's name of the GPU."""
    return _fabrics().get(model, "fabric-manager")


@cache
def _fabrics() -> Mapping[str, GpuFabric]:
    data = catalog_file.content(_PATH)
    facts = merged(data["gpus"], "catalog/gpu_fabrics.yaml")
    file = deployment_file.validated({"sources": data["sources"], "gpu_fabrics": facts})
    return file.gpu_fabrics or {}
