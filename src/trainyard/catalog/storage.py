"""Finds what a type of storage offers: volumes of Amazon EBS, file systems of FSx for Lustre and for OpenZFS."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.catalog_file import CatalogFile
from trainyard.catalog.source import merge_facts, merged_by_name
from trainyard.catalog.storage_records import EbsVolumeType, LustreDeployment, OpenZfsDeployment
from trainyard.errors import TrainyardError

_LUSTRE = "catalog/fsx_lustre.yaml"


def ebs_volume_type(name: str) -> EbsVolumeType | None:
    """Return the limits of a volume type such as gp3, or None where the catalog has none."""
    return _volume_types().get(name)


def lustre_deployment(name: str) -> LustreDeployment:
    """Return the offer for a deployment type such as PERSISTENT_2. Raises TrainyardError where there are no facts."""
    deployments = _lustre_deployments()
    if name not in deployments:
        problem = f"the catalog has no facts about the Lustre deployment type {name!r}"
        raise TrainyardError(problem, where=_LUSTRE, hint=f"use one of {', '.join(deployments)}")
    return deployments[name]


def openzfs_deployment(name: str) -> OpenZfsDeployment | None:
    """Return the offer for a deployment type such as SINGLE_AZ_HA_2, or None where the catalog has no facts."""
    return (_openzfs().openzfs_deployments or {}).get(name)


def openzfs_deployments(region: str) -> frozenset[str] | None:
    """Return every deployment type of a region, or None where they are not all known."""
    offered = (_openzfs().openzfs_offered or {}).get(region)
    return None if offered is None else frozenset(offered)


def openzfs_refused(region: str) -> frozenset[str]:
    """Return the deployment types that a region is known to lack, also where the others are unknown."""
    offered = openzfs_deployments(region)
    if offered is None:
        return frozenset((_openzfs().openzfs_refused or {}).get(region, ()))
    return frozenset(_openzfs().openzfs_deployments or {}) - offered


@cache
def _volume_types() -> Mapping[str, EbsVolumeType]:
    data = catalog_file.content(catalog_file.FOLDER / "ebs.yaml")
    types = merged_by_name(data["volume_types"], "catalog/ebs.yaml")
    return catalog_file.validated({"sources": data["sources"], "ebs_volume_types": types}).ebs_volume_types or {}


@cache
def _lustre_deployments() -> Mapping[str, LustreDeployment]:
    data = catalog_file.content(catalog_file.FOLDER / "fsx_lustre.yaml")
    types = merged_by_name(data["deployments"], _LUSTRE)
    return catalog_file.validated({"sources": data["sources"], "lustre_deployments": types}).lustre_deployments or {}


@cache
def _openzfs() -> CatalogFile:
    where = "catalog/fsx_openzfs.yaml"
    data = catalog_file.content(catalog_file.FOLDER / "fsx_openzfs.yaml")
    types = merged_by_name(data["deployments"], where)
    regions = {f"openzfs_{part}": merge_facts(data[part], f"{where} ({part})") for part in ("offered", "refused")}
    return catalog_file.validated({"sources": data["sources"], "openzfs_deployments": types, **regions})
