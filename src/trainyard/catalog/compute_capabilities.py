"""Finds the compute capability of a GPU, which code for it is compiled for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "compute_capabilities.yaml"
_WHERE = "catalog/compute_capabilities.yaml"


def compute_capability(model: str) -> str | None:
    """Return 90 for an H100, or None where the catalog does not know the GPU."""
    return _capabilities().get(model)


def sources_of(model: str) -> Mapping[str, Source]:
    """Return the source of a GPU's compute capability; empty where the catalog has none."""
    data = catalog_file.content(_PATH)
    sources = deployment_file.validated({"sources": data["sources"]}).sources
    found = sources_by_fact(data["gpus"], sources, _WHERE)
    return {model: found[model]} if model in found else {}


@cache
def _capabilities() -> Mapping[str, str]:
    data = catalog_file.content(_PATH)
    facts = merged(data["gpus"], _WHERE)
    file = deployment_file.validated({"sources": data["sources"], "compute_capabilities": facts})
    return file.compute_capabilities or {}
