"""Finds what FSx for OpenZFS offers for a deployment type, and which of them a region has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.catalog_file import CatalogFile
from trainyard.catalog.openzfs_deployment import OpenZfsDeployment
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "fsx_openzfs.yaml"
_WHERE = "catalog/fsx_openzfs.yaml"


def deployment(name: str) -> OpenZfsDeployment | None:
    """Return the offer for a deployment type such as SINGLE_AZ_HA_2, or None where the catalog has no facts."""
    return (_file().openzfs_deployments or {}).get(name)


def openzfs_deployments(region: str) -> frozenset[str] | None:
    """Return every deployment type of a region, or None where they are not all known."""
    offered = (_file().openzfs_offered or {}).get(region)
    return None if offered is None else frozenset(offered)


def openzfs_refused(region: str) -> frozenset[str]:
    """Return the deployment types that a region is known to lack, also where the others are unknown."""
    offered = openzfs_deployments(region)
    if offered is None:
        return frozenset((_file().openzfs_refused or {}).get(region, ()))
    return frozenset(_file().openzfs_deployments or {}) - offered


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of a deployment type; empty where the catalog has no facts."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["deployments"].get(name, {}), sources, f"{_WHERE} ({name})")


@cache
def _file() -> CatalogFile:
    data = catalog_file.content(_PATH)
    deployments = {
        name: {"name": name, **merged(facts, f"{_WHERE} ({name})")} for name, facts in data["deployments"].items()
    }
    regions = {f"openzfs_{part}": merged(data[part], f"{_WHERE} ({part})") for part in ("offered", "refused")}
    return catalog_file.validated({"sources": data["sources"], "openzfs_deployments": deployments, **regions})
