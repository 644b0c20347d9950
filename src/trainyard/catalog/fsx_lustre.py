"""Finds what FSx for Lustre offers for a deployment type."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.lustre_deployment import LustreDeployment
from trainyard.catalog.source import Source, merged, sources_by_fact
from trainyard.errors import TrainyardError

_PATH = catalog_file.FOLDER / "fsx_lustre.yaml"
_WHERE = "catalog/fsx_lustre.yaml"


def deployment(name: str) -> LustreDeployment:
    """Return the offer for a deployment type such as PERSISTENT_2. Raises TrainyardError where there are no facts."""
    deployments = _deployments()
    if name not in deployments:
        problem = f"the catalog has no facts about the Lustre deployment type {name!r}"
        raise TrainyardError(problem, where=_WHERE, hint=f"use one of {', '.join(deployments)}")
    return deployments[name]


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of a deployment type; empty where the catalog has no facts."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["deployments"].get(name, {}), sources, f"{_WHERE} ({name})")


@cache
def _deployments() -> Mapping[str, LustreDeployment]:
    data = catalog_file.content(_PATH)
    deployments = {
        name: {"name": name, **merged(facts, f"{_WHERE} ({name})")} for name, facts in data["deployments"].items()
    }
    file = catalog_file.validated({"sources": data["sources"], "lustre_deployments": deployments})
    return file.lustre_deployments or {}
