"""Finds what Amazon EBS and ParallelCluster accept for a volume type."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.ebs_volume_type import EbsVolumeType
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "ebs.yaml"
_WHERE = "catalog/ebs.yaml"


def volume_type(name: str) -> EbsVolumeType | None:
    """Return the limits of a volume type such as gp3, or None where the catalog has none."""
    return _volume_types().get(name)


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of a volume type; empty where the catalog has no facts."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["volume_types"].get(name, {}), sources, f"{_WHERE} ({name})")


@cache
def _volume_types() -> Mapping[str, EbsVolumeType]:
    data = catalog_file.content(_PATH)
    types = {
        name: {"name": name, **merged(facts, f"{_WHERE} ({name})")} for name, facts in data["volume_types"].items()
    }
    return catalog_file.validated({"sources": data["sources"], "ebs_volume_types": types}).ebs_volume_types or {}
